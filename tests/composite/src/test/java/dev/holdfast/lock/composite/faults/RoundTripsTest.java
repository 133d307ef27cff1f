package dev.holdfast.lock.composite.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.redis.testserver.CommandRecorder;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a lock costs while Redis grants: what it costs on Redis alone. */
@Tag("second-build")
class RoundTripsTest {

    private static final int PAIRS = 100;

    /** The next read of the authority state and the next health check come after the end of the test. */
    private static final String LONG_AUTHORITY_LEASE = "5m";

    @Test
    void acquireAndRelease_onThePrimary_takeTwoRedisCommandsAndNoDatabaseCall() throws Exception {
        try (Composites composites = Composites.onOwnRedis();
                PostgresProxy database = new PostgresProxy(composites.postgres())) {
            Properties configuration = composites.configuration("counted");
            configuration.setProperty("lock.composite.authority-lease", LONG_AUTHORITY_LEASE);
            configuration.setProperty("lock.lease", "1h");
            configuration.setProperty("lock.jdbc.pool-size", "1"); // another connection would ask when it is opened
            configuration.setProperty("lock.jdbc.url", database.url(configuration.getProperty("lock.jdbc.url")));
            try (Locks locks = composites.open(configuration);
                    CommandRecorder commands = new CommandRecorder(composites.redis())) {
                DistributedLock lock = locks.named("job");
                lock.acquire(Composites.LONG).close();
                commands.forget();
                int questions = database.questions();

                for (int pair = 0; pair < PAIRS; pair++) {
                    lock.acquire().close();
                }

                assertThat(commands.all())
                        .hasSize(2 * PAIRS)
                        .allMatch(each -> each.name().equals("EVALSHA"));
                assertThat(database.questions()).isEqualTo(questions);
            }
        }
    }
}
