package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Short forms of commands, and their execution one at a time. */
public final class TestCommands {

    public static final Duration CALL = Duration.ofSeconds(10);
    public static final Duration LEASE = Duration.ofMinutes(5);

    private TestCommands() {}

    public static AcquisitionId id() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new AcquisitionId(random.nextLong(), random.nextLong());
    }

    public static Step.Acquire acquire(String name, AcquisitionId id) {
        return new Step.Acquire(new LockName(name), id, LEASE, false, 0, "a test");
    }

    public static Step.Acquire queue(String name, AcquisitionId id) {
        return new Step.Acquire(new LockName(name), id, LEASE, true, 0, "a test that waits");
    }

    public static Step.Renew renew(String name, AcquisitionId id) {
        return new Step.Renew(new LockName(name), id, LEASE);
    }

    public static Step.Release release(String name, AcquisitionId id) {
        return new Step.Release(new LockName(name), id, Duration.ZERO, Duration.ZERO);
    }

    public static Answer ask(LockStore store, Step step) {
        return store.apply(List.of(step), CALL).get(0);
    }

    /** The answer, which is of this kind. */
    public static <T extends Answer> T answered(LockStore store, Step step, Class<T> kind) {
        Answer answer = ask(store, step);
        assertThat(answer).as("the answer to " + step).isInstanceOf(kind);
        return kind.cast(answer);
    }
}
