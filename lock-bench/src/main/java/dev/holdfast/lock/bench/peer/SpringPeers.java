package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.bench.server.Endpoints;
import java.sql.SQLException;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's lock registries, as its reference recommends them. */
final class SpringPeers {

    private static final String TABLE = """
            INT_LOCK (
                LOCK_KEY CHAR(36) NOT NULL,
                REGION VARCHAR(100) NOT NULL,
                CLIENT_ID CHAR(36),
                CREATED_DATE %1$s NOT NULL,
                EXPIRED_AFTER %1$s NOT NULL,
                CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION)
            )
            """;

    private SpringPeers() {}

    static Peer redis(Endpoints endpoints) {
        LettuceConnectionFactory connections = ConnectionPools.lettuce(endpoints);
        ThreadPoolTaskScheduler renewal = new ThreadPoolTaskScheduler();
        renewal.setDaemon(true);
        renewal.setRemoveOnCancelPolicy(true);
        renewal.initialize();
        RedisLockRegistry registry = new RedisLockRegistry(connections, "spring-redis");
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
        registry.setRenewalTaskScheduler(renewal);
        return peer(registry::obtain, () -> {
            registry.destroy();
            renewal.destroy();
            connections.destroy();
        });
    }

    static Peer jdbc(SqlProduct product, Endpoints endpoints) throws SQLException {
        HikariDataSource database = ConnectionPools.database(endpoints);
        product.createTable(database, TABLE.formatted(product.instant));
        DefaultLockRepository repository = new DefaultLockRepository(database);
        repository.setInsertQuery(product.ifAbsent(repository.getInsertQuery()));
        repository.setTransactionManager(new JdbcTransactionManager(database));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository);
        return peer(registry::obtain, () -> {
            repository.close();
            database.close();
        });
    }

    private static Peer peer(Function<String, Lock> registry, Runnable close) {
        return new Peer(
                name -> {
                    Lock lock = registry.apply(name);
                    lock.lockInterruptibly();
                    return lock::unlock;
                },
                close);
    }
}
