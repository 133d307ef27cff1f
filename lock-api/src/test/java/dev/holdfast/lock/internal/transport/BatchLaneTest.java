package dev.holdfast.lock.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** A lane after a failure of what is around it. */
class BatchLaneTest {

    private final List<LockCommand> sent = new ArrayList<>();
    private boolean clockFails;
    private final BatchLane lane = new BatchLane(
            batch -> batch.forEach(request -> sent.add(request.command())),
            (batch, cause) -> {},
            Runnable::run,
            new Semaphore(0),
            new CallPacing(1),
            this::nanos);

    private long nanos() {
        if (clockFails) {
            throw new OutOfMemoryError("on purpose");
        }
        return 0;
    }

    @Test
    void request_afterAFailureOfTheClock_isSentWithTheNext() {
        clockFails = true;
        assertThatThrownBy(() -> lane.submit(List.of(request(1)))).isInstanceOf(OutOfMemoryError.class);
        clockFails = false;
        lane.submit(List.of(request(2)));

        assertThat(sent).containsExactly(request(1).command(), request(2).command());
    }

    private static StoreRequest request(int number) {
        LockCommand command =
                new LockCommand.Renew(new LockName("job"), new AcquisitionId(0, number), Duration.ofSeconds(30));
        return new StoreRequest(command, Duration.ofSeconds(3), response -> {});
    }
}
