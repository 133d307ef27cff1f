package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.nio.file.Path;

/** A process that acquires a lock for each configuration among its arguments, and prints the outcome in a line each. */
final class LocksOnce {

    /** It held the lock. */
    static final String LOCKED = "locked";

    private LocksOnce() {}

    @SuppressWarnings("SystemOut") // a file of the test that started this process
    public static void main(String[] arguments) throws InterruptedException {
        for (String configuration : arguments) {
            System.out.println(once(Path.of(configuration)));
        }
    }

    /** The outcome, also for a caller of another class loader. */
    static String once(Path configuration) throws InterruptedException {
        try (Locks locks = Locks.open(configuration);
                Lease lease = locks.named("once").acquire()) {
            lease.ensureHeld();
            return LOCKED;
        } catch (RuntimeException | Error e) {
            return e.toString().replace('\n', ' ');
        }
    }
}
