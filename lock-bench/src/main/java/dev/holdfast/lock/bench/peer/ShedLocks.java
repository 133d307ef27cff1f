package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock, called without a framework: whoever finds the lock busy is told so, and does not wait. */
final class ShedLocks implements Peer {

    private static final Duration AT_MOST = Duration.ofSeconds(30);
    private static final String TABLE = """
            shedlock (
                name VARCHAR(64) NOT NULL,
                lock_until TIMESTAMP NOT NULL,
                locked_at TIMESTAMP NOT NULL,
                locked_by VARCHAR(255) NOT NULL,
                PRIMARY KEY (name)
            )
            """;

    private final LockProvider provider;
    private final Runnable closing;

    private ShedLocks(LockProvider provider, Runnable closing) {
        this.provider = provider;
        this.closing = closing;
    }

    static Candidate redis() {
        return new Candidate(
                "shedlock-redis",
                "ShedLock, Redis",
                Store.REDIS,
                false,
                false,
                LettuceConnection.STATED + "; RedisLockProvider, safeUpdate; lockAtMostFor 30 s, lockAtLeastFor 0",
                ShedLocks::onRedis);
    }

    static Candidate jdbc() {
        return new Candidate(
                "shedlock-jdbc",
                "ShedLock, JDBC",
                Store.POSTGRESQL,
                false,
                false,
                Pool.STATED
                        + " (HikariCP); JdbcTemplateLockProvider, usingDbTime; lockAtMostFor 30 s, lockAtLeastFor 0",
                ShedLocks::onPostgreSql);
    }

    private static Peer onRedis(Place place) {
        LettuceConnectionFactory connections = LettuceConnection.open(place);
        LockProvider provider = new RedisLockProvider.Builder(connections)
                .environment("bench")
                .safeUpdate(true)
                .build();
        return new ShedLocks(provider, connections::destroy);
    }

    private static Peer onPostgreSql(Place place) throws SQLException {
        HikariDataSource database = Pool.sql(place);
        Tables.create(database, TABLE);
        LockProvider provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(database))
                .usingDbTime()
                .build());
        return new ShedLocks(provider, database::close);
    }

    @Override
    public Held acquire(String name) {
        SimpleLock lock = provider.lock(new LockConfiguration(Instant.now(), name, AT_MOST, Duration.ZERO))
                .orElseThrow(() -> new IllegalStateException("busy: " + name));
        return lock::unlock;
    }

    @Override
    public void close() {
        closing.run();
    }
}
