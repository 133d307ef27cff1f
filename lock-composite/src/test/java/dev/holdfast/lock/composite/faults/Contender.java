package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.pulse.Patiently;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Optional;
import java.util.Scanner;

/**
 * A process that, once told so, asks for a lock all the time, whether it waits or not, until it is told to stop. Says
 * {@code ready}, and {@code granted} with the token for its first grant. Arguments: see {@link Holder}.
 */
final class Contender {

    private Contender() {}

    @SuppressWarnings("SystemOut") // a pipe to the test that started this process
    public static void main(String[] arguments) throws Exception {
        try (Locks locks = Patiently.ask(() -> Locks.open(Path.of(arguments[0])));
                Claims claims = new Claims(Path.of(arguments[1]));
                Connection fence = DriverManager.getConnection(arguments[3], arguments[4], arguments[5]);
                Scanner told = new Scanner(System.in, StandardCharsets.UTF_8)) {
            System.out.println("ready " + System.nanoTime());
            told.nextLine();
            DistributedLock lock = locks.named(arguments[2]);
            boolean granted = false;
            for (int asked = 0; System.in.available() == 0; asked++) {
                try (Lease lease = ask(lock, asked).orElse(null)) {
                    long claim = lease == null ? 0 : claims.granted(lease);
                    if (lease != null && claims.isHeld(claim, lease)) {
                        if (!granted) {
                            System.out.println("granted " + lease.fencingToken());
                        }
                        granted = true;
                        if (!Fence.passes(fence, lease.name(), lease.fencingToken()) && lease.isHeld()) {
                            claims.refused(claim);
                        }
                    }
                } catch (LockUnavailableException e) {
                    // nobody can tell whether it is free
                }
            }
        }
    }

    private static Optional<Lease> ask(DistributedLock lock, int asked) throws InterruptedException {
        return asked % 2 == 0 ? lock.tryAcquire() : lock.tryAcquire(Duration.ofMillis(100));
    }
}
