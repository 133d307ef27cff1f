package dev.holdfast.lock.redis.waiting;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** {@code SELECT … FOR UPDATE} of one row by its primary key; the connection is kept for as long as the lock. */
final class RowLock implements Contestant {

    private static final long WAITING_LIMIT_MILLIS = 600_000;

    private final HikariDataSource pool;

    RowLock(String url, String username, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(username);
        config.setPassword(password);
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(WAITING_LIMIT_MILLIS);
        config.setAutoCommit(false);
        pool = new HikariDataSource(config);
    }

    @Override
    public void once(Runnable section) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT id FROM goods WHERE id = ? FOR UPDATE")) {
            select.setLong(1, Rows.LOCKED);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("no such row");
                }
            }
            section.run();
            connection.commit();
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
