package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.bench.server.Endpoints;
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

/** ShedLock, called without a framework. It does not wait: a busy lock is an exception. */
final class ShedLockPeers {

    private static final Duration AT_MOST = Duration.ofSeconds(30);

    private static final String TABLE = """
            shedlock (
                name VARCHAR(64) NOT NULL,
                lock_until %1$s NOT NULL,
                locked_at %1$s NOT NULL,
                locked_by VARCHAR(255) NOT NULL,
                PRIMARY KEY (name)
            )
            """;

    private ShedLockPeers() {}

    static Peer redis(Endpoints endpoints) {
        LettuceConnectionFactory connections = ConnectionPools.lettuce(endpoints);
        LockProvider provider = new RedisLockProvider.Builder(connections)
                .environment("bench")
                .safeUpdate(true)
                .build();
        return peer(provider, connections::destroy);
    }

    static Peer jdbc(SqlProduct product, Endpoints endpoints) throws SQLException {
        HikariDataSource database = ConnectionPools.database(endpoints);
        product.createTable(database, TABLE.formatted(product.instant));
        LockProvider provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(database))
                .usingDbTime()
                .build());
        return peer(provider, database::close);
    }

    private static Peer peer(LockProvider provider, Runnable close) {
        return new Peer(
                name -> {
                    SimpleLock lock = provider.lock(new LockConfiguration(Instant.now(), name, AT_MOST, Duration.ZERO))
                            .orElseThrow(() -> new IllegalStateException("busy: " + name));
                    return lock::unlock;
                },
                close);
    }
}
