package dev.holdfast.lock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;

/** A data source that hands out connections only when it is told to. */
final class DelayedDataSource extends HikariDataSource {

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

    @Override
    public Connection getConnection() throws SQLException {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new SQLException(e);
        }
        return super.getConnection();
    }
}
