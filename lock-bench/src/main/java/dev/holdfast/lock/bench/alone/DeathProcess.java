package dev.holdfast.lock.bench.alone;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.DurationText;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A process that holds a lock until it dies. Says when it has it. */
final class DeathProcess {

    private DeathProcess() {}

    /** @param arguments the name of the lock, the length of the lease, and a configuration */
    @SuppressWarnings("SystemOut") // a pipe to who started it
    public static void main(String[] arguments) throws Exception {
        JavaProcess.endWithInput();
        List<String> settings = List.of(arguments).subList(2, arguments.length);
        try (Locks locks = Locks.open(Configuration.fromArguments(settings));
                Lease lease = locks.named(arguments[0])
                        .withLease(DurationText.parse(arguments[1]))
                        .acquire()) {
            System.out.println(lease.fencingToken());
            new CountDownLatch(1).await();
        }
    }
}
