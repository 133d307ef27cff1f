package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Short forms of commands, one at a time. */
public final class Commands {

    /** Longer than a server or a machine stands still. */
    public static final Duration CALL = Duration.ofSeconds(60);

    public static final Duration LEASE = Duration.ofSeconds(30);

    private Commands() {}

    public static AcquisitionId id() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new AcquisitionId(random.nextLong(), random.nextLong());
    }

    public static Step.Acquire acquire(String name, AcquisitionId id, Duration length) {
        return new Step.Acquire(new LockName(name), id, length, false, 0, "a test");
    }

    public static Step.Acquire acquire(String name, AcquisitionId id) {
        return acquire(name, id, LEASE);
    }

    public static Step.Acquire queue(String name, AcquisitionId id) {
        return new Step.Acquire(new LockName(name), id, LEASE, true, 0, "a test that waits");
    }

    public static Step.Acquire acquireAbove(String name, AcquisitionId id, long above) {
        return new Step.Acquire(new LockName(name), id, LEASE, false, above, "a test");
    }

    public static Step.Renew renew(String name, AcquisitionId id, Duration length) {
        return new Step.Renew(new LockName(name), id, length);
    }

    public static Step.Release release(String name, AcquisitionId id) {
        return release(name, id, Duration.ZERO, Duration.ZERO);
    }

    public static Step.Release release(String name, AcquisitionId id, Duration keep, Duration remember) {
        return new Step.Release(new LockName(name), id, keep, remember);
    }

    public static Answer ask(LockStore store, Step step) {
        return store.apply(List.of(step), CALL).get(0);
    }

    /** When to ask again. */
    public static Duration waiting(LockStore store, Step step) {
        Answer answer = ask(store, step);
        if (answer instanceof Answer.Waiting waiting) {
            return waiting.askAgain();
        }
        throw new AssertionError(step + " has to wait, but: " + answer);
    }

    public static Answer.Granted granted(LockStore store, Step step) {
        Answer answer = ask(store, step);
        if (answer instanceof Answer.Granted granted) {
            return granted;
        }
        throw new AssertionError(step + " was not granted: " + answer);
    }
}
