package dev.holdfast.lock.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.Logged;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What the log says of transactions that a fence refuses. */
@Isolated("captures the log of all threads")
class FenceRefusalsTest {

    private final AtomicLong now = new AtomicLong();
    private final FenceRefusals refusals = new FenceRefusals(now::get);

    private void refuse(int times) {
        for (int number = 1; number <= times; number++) {
            refusals.log(new StaleLeaseException("the lease of 'n" + number + "' is stale"));
        }
    }

    @Test
    void manyRefusals_haveThreeLinesAndACountInTheNext() {
        assertThat(Logged.during(() -> refuse(20_000)).lines())
                .hasSize(3)
                .allMatch(line -> line.contains("WARN dev.holdfast.lock.fencing - the fence refused a transaction"))
                .last()
                .asString()
                .endsWith("(0 more since the line before): the lease of 'n3' is stale");

        now.addAndGet(FenceRefusals.WINDOW_NANOS);
        assertThat(Logged.during(() -> refuse(1)).lines())
                .singleElement()
                .asString()
                .contains("(19997 more since the line before)");
    }
}
