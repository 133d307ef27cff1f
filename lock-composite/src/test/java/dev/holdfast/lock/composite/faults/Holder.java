package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.pulse.Patiently;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that, once told so, acquires a lock, and holds it until it is told to give it back. Says {@code ready},
 * {@code granted} with the token, {@code stood} with the most nanoseconds for which it stood still while it held the lock, and
 * {@code gave} with the state of the lease just before, whether its token passed the fence, and whether it held until its release.
 * Arguments: see {@link Worker}; the lock; URL, user and password of the fence.
 */
final class Holder {

    private Holder() {}

    @SuppressWarnings("SystemOut") // a pipe to the test that started this process
    public static void main(String[] arguments) throws Exception {
        try (Locks locks = Patiently.ask(() -> Locks.open(Path.of(arguments[0])));
                Claims claims = new Claims(Path.of(arguments[1]));
                Connection fence = DriverManager.getConnection(arguments[3], arguments[4], arguments[5]);
                Scanner told = new Scanner(System.in, StandardCharsets.UTF_8)) {
            System.out.println("ready " + System.nanoTime());
            told.nextLine();
            Lease lease = Patiently.ask(() -> locks.named(arguments[2]).acquire(Duration.ofMinutes(1)));
            long claim = claims.granted(lease);
            System.out.println("granted " + lease.fencingToken());
            long longest = 0;
            long last = System.nanoTime();
            while (System.in.available() == 0) {
                boolean unused = claims.isHeld(claim, lease);
                long now = System.nanoTime();
                longest = Math.max(longest, now - last);
                last = now;
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            }
            String state = lease.state().name();
            boolean passes = Fence.passes(fence, lease.name(), lease.fencingToken());
            System.out.println("stood " + longest);
            System.out.println("gave " + state + " " + passes + " " + lease.release());
        }
    }
}
