package dev.holdfast.lock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A data source that hands out connections only when it is told to. */
final class DelayedDataSource extends HikariDataSource {

    private final AtomicInteger asked = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    DelayedDataSource(HikariConfig config) {
        super(config);
    }

    void holdUp() {
        gate = new CountDownLatch(1);
    }

    void letPass() {
        gate.countDown();
    }

    /** How often a connection was asked for. */
    int asked() {
        return asked.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        asked.incrementAndGet();
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new SQLException(e);
        }
        return super.getConnection();
    }
}
