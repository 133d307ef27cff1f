package dev.holdfast.lock.composite.faults;

import static dev.holdfast.lock.composite.faults.Composites.LONG;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import java.util.Properties;

/** How long a newcomer waits for a lock when the master dies. As a program, it prints what it takes beside what is to be expected. */
final class FailoverTime {

    private static final int ROUNDS = 3;
    private static final Duration CALL_TIMEOUT = Duration.ofMillis(500);

    private FailoverTime() {}

    /** From just before the master's death, which nobody takes the place of, to the first grant. */
    static Duration measure(Composites composites, String namespace, Timing timing) throws InterruptedException {
        try (RedisServer redis = RedisServer.own()) {
            Properties configuration = composites.configuration(namespace);
            configuration.setProperty("lock.redis.uri", redis.uri());
            configuration.setProperty("lock.composite.regime-lease", DurationText.format(timing.lease()));
            configuration.setProperty("lock.call-timeout", DurationText.format(CALL_TIMEOUT));
            configuration.setProperty("lock.lease", DurationText.format(timing.shortestLease(CALL_TIMEOUT)));
            try (Locks locks = composites.open(configuration)) {
                locks.named("before").acquire(LONG).close();
                long start = System.nanoTime();
                redis.kill();
                while (true) {
                    try (Lease lease = locks.named("job").acquire(LONG)) {
                        Duration taken = Duration.ofNanos(System.nanoTime() - start);
                        lease.ensureHeld();
                        return taken;
                    } catch (LockUnavailableException e) {
                        // not yet
                    }
                }
            }
        }
    }

    @SuppressWarnings("SystemOut") // a program
    public static void main(String[] arguments) throws InterruptedException {
        try (Composites composites = new Composites()) {
            System.out.println(
                    "| regime lease | suspicion | a reading at most | drain | together at most | measured |");
            System.out.println("| --- | --- | --- | --- | --- | --- |");
            for (Duration lease : new Duration[] {Duration.ofSeconds(10), Duration.ofSeconds(2)}) {
                Timing timing = new Timing(lease);
                for (int round = 0; round < ROUNDS; round++) {
                    Duration measured = measure(composites, "time-" + lease.toSeconds() + "-" + round, timing);
                    System.out.printf(
                            "| %d ms | %d ms | %d ms | %d ms | %d ms | %d ms |%n",
                            lease.toMillis(),
                            timing.suspicion().toMillis(),
                            timing.reading().toMillis(),
                            timing.drain().toMillis(),
                            timing.suspicion()
                                    .plus(timing.reading())
                                    .plus(timing.drain())
                                    .toMillis(),
                            measured.toMillis());
                }
            }
        }
    }
}
