package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.composite.Servers;
import dev.holdfast.lock.contract.KilledProcessesContract;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import java.util.Properties;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.RedisClient;

/**
 * Killed and stopped processes on a composite. Its Redis falls whenever it grants, so that processes are struck while it is drained, while
 * PostgreSQL grants, and as Redis comes back to power.
 */
@Tag("long")
class CompositeKilledProcessesTest extends KilledProcessesContract {

    /** Longer than it takes to notice that Redis is silent, and to drain it. */
    private static final long FAILOVER_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

    private final String namespace = "killed-" + UUID.randomUUID();
    private final Servers servers = Servers.sharing(RedisServer.own());

    @AfterEach
    void stop() {
        servers.close();
    }

    @Override
    protected Properties settings() {
        Properties settings = servers.configuration("composite", "1s");
        settings.setProperty("lock.namespace", namespace);
        return settings;
    }

    @Override
    protected String lease() {
        return "3500ms"; // the shortest that survives a failover is 3190 ms
    }

    /** With an authority lease for which no machine stands still: without it nothing is held. */
    @Override
    protected Properties settingsOfTheLiving() {
        Properties settings = settings();
        settings.setProperty("lock.composite.authority-lease", "20s");
        return settings;
    }

    @Override
    protected String leaseOfTheDead() {
        return "50s"; // the shortest that survives a failover is 49.6 s
    }

    @Override
    protected String strikeStore(Random random) {
        String phase = phase();
        if (phase.equals("PRIMARY")) {
            fall(random);
        } else if (phase.equals("FALLBACK") && random.nextBoolean()) {
            Await.until("Redis comes back to power", () -> !phase().equals("FALLBACK"));
        }
        return "in " + phase();
    }

    /** It is down, or away for a while, or loses its data. */
    private void fall(Random random) {
        long pause = random.nextLong(FAILOVER_NANOS);
        RedisServer redis = servers.redis();
        switch (random.nextInt(3)) {
            case 0 -> {
                redis.kill();
                LockSupport.parkNanos(pause);
                redis.start();
            }
            case 1 -> {
                redis.freeze();
                LockSupport.parkNanos(pause);
                redis.thaw();
            }
            default -> {
                try (RedisClient client = redis.client()) {
                    client.flushAll();
                }
                LockSupport.parkNanos(pause);
            }
        }
    }

    /** However often it fell, Redis is given another chance as soon as one that fell once. */
    private String phase() {
        return servers.value("UPDATE holdfast_authority_state SET failure_count = least(failure_count, 1)"
                + " WHERE namespace = '" + namespace + "' RETURNING phase");
    }
}
