package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Short forms of commands, one at a time. */
public final class Commands {

    /** Longer than a server or a machine stands still. */
    public static final Duration CALL = Duration.ofMinutes(2);

    /** Longer than a test in which no lease ends. */
    public static final Duration LEASE = Duration.ofMinutes(2);

    private Commands() {}

    public static AcquisitionId id() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new AcquisitionId(random.nextLong(), random.nextLong());
    }

    public static LockCommand.Acquire acquire(String name, AcquisitionId id, Duration length) {
        return new LockCommand.Acquire(new LockName(name), id, length, false, 0, "a test");
    }

    public static LockCommand.Acquire acquire(String name, AcquisitionId id) {
        return acquire(name, id, LEASE);
    }

    public static LockCommand.Acquire queue(String name, AcquisitionId id) {
        return new LockCommand.Acquire(new LockName(name), id, LEASE, true, 0, "a test that waits");
    }

    public static LockCommand.Acquire acquireAbove(String name, AcquisitionId id, long above) {
        return new LockCommand.Acquire(new LockName(name), id, LEASE, false, above, "a test");
    }

    public static LockCommand.Renew renew(String name, AcquisitionId id, Duration length) {
        return new LockCommand.Renew(new LockName(name), id, length);
    }

    public static LockCommand.Release release(String name, AcquisitionId id) {
        return release(name, id, Duration.ZERO, Duration.ZERO);
    }

    public static LockCommand.Release release(String name, AcquisitionId id, Duration minimumHold, Duration tombstone) {
        return new LockCommand.Release(new LockName(name), id, minimumHold, tombstone);
    }

    public static LockReply ask(LockStore store, LockCommand command) {
        return store.execute(List.of(command), CALL).get(0);
    }

    /** When to ask again. */
    public static Duration waiting(LockStore store, LockCommand command) {
        LockReply reply = ask(store, command);
        if (reply instanceof LockReply.Queued waiting) {
            return waiting.retryAfter();
        }
        throw new AssertionError(command + " has to wait, but: " + reply);
    }

    public static LockReply.Granted granted(LockStore store, LockCommand command) {
        LockReply reply = ask(store, command);
        if (reply instanceof LockReply.Granted granted) {
            return granted;
        }
        throw new AssertionError(command + " was not granted: " + reply);
    }
}
