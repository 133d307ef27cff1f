package example;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.Locks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What the README shows, with lock.properties in the working directory. */
public final class Application {

    private Application() {}

    public static void main(String[] arguments) throws Exception {
        try (Locks locks = Locks.open();
                Locks others = Locks.open()) {
            DistributedLock lock = locks.named("invoice:42");

            CompletableFuture<Lease> later;
            try (Lease lease = lock.acquire()) {
                System.out.println("acquired, with a token: " + (lease.fencingToken() > 0));

                Optional<Lease> maybe = lock.tryAcquire();
                System.out.println("a second one at once: " + maybe.isPresent());

                later = others.named("invoice:42").acquireAsync(Duration.ofMinutes(1));
            }
            try (Lease lease = later.get()) {
                System.out.println("another, who waited: " + lease.isHeld());
            }

            lock.run(() -> System.out.println("run"));

            try (LeaseGroup both = locks.acquireAll(List.of("account:7", "account:3"), Duration.ofSeconds(30))) {
                System.out.println("both: " + both.isHeld());
            }
        }
    }
}
