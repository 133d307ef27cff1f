package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.sql.SQLException;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's registry on PostgreSQL, with the insert that its reference gives for it. */
final class SpringJdbc implements Peer {

    private static final String TABLE = """
            INT_LOCK (
                LOCK_KEY CHAR(36) NOT NULL,
                REGION VARCHAR(100) NOT NULL,
                CLIENT_ID CHAR(36),
                CREATED_DATE TIMESTAMP NOT NULL,
                EXPIRED_AFTER TIMESTAMP NOT NULL,
                CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION)
            )
            """;

    private final HikariDataSource database;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    private SpringJdbc(Place place) throws SQLException {
        this.database = Pool.sql(place);
        Tables.create(database, TABLE);
        this.repository = new DefaultLockRepository(database);
        repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
        repository.setTransactionManager(new JdbcTransactionManager(database));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        this.registry = new JdbcLockRegistry(repository);
    }

    static Candidate candidate() {
        return new Candidate(
                "spring-jdbc",
                "Spring Integration, JDBC",
                Store.POSTGRESQL,
                false,
                true,
                Pool.STATED
                        + " (HikariCP); JdbcLockRegistry, ON CONFLICT DO NOTHING; while busy tries again every 100 ms;"
                        + " 10 s, not renewed",
                SpringJdbc::new);
    }

    @Override
    public Held acquire(String name) throws InterruptedException {
        Lock lock = registry.obtain(name);
        lock.lockInterruptibly();
        return lock::unlock;
    }

    @Override
    public void close() {
        repository.close();
        database.close();
    }
}
