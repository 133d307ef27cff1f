package dev.holdfast.lock.testing;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Opens locks as a supervisor starts a service again whose store does not answer yet. */
public final class LocksOpener {

    private static final long PAUSE_NANOS = 20_000_000;

    private LocksOpener() {}

    /**
     * Opens locks, and repeats that while the store is unavailable: other processes may be creating what it needs, and the machine may
     * stand still for longer than a call to the store may take.
     *
     * @throws LockUnavailableException if it is unavailable for {@link Await#HANG}
     */
    @SuppressWarnings("SystemOut") // the log of the process
    public static Locks open(Path settings) {
        return open(() -> Locks.open(settings), System.err::println);
    }

    /** The same in a test, silently. */
    public static Locks open(Properties settings) {
        return open(() -> Locks.open(settings), failure -> {});
    }

    private static Locks open(Supplier<Locks> opening, Consumer<LockUnavailableException> log) {
        long start = System.nanoTime();
        while (true) {
            try {
                return opening.get();
            } catch (LockUnavailableException e) {
                if (System.nanoTime() - start > Await.HANG.toNanos()) {
                    throw e;
                }
                log.accept(e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
