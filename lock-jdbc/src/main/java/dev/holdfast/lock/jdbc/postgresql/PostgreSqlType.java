package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.DriverDataSource;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.postgresql.driver.LowLatencySocketFactory;
import java.sql.SQLException;
import java.util.Properties;

/** PostgreSQL, by {@code jdbc:postgresql:}. */
public final class PostgreSqlType implements DatabaseType {

    private static final String PREPARE_SESSION = "SELECT pg_catalog.set_config(s.name, s.value, false) FROM (VALUES"
            + " ('default_transaction_isolation', 'read committed'), ('default_transaction_read_only', 'off'))"
            + " AS s (name, value) WHERE pg_catalog.current_setting(s.name) <> s.value";

    /** For the list of all types. */
    public PostgreSqlType() {}

    @Override
    public String urlForm() {
        return "jdbc:postgresql://<host>/<database>";
    }

    @Override
    public boolean accepts(JdbcUrl url) {
        return url.isPostgreSql();
    }

    @Override
    public boolean isProduct(String productName) {
        return productName.equals("PostgreSQL");
    }

    @Override
    public ErrorClasses errors() {
        return PostgreSqlErrors.INSTANCE;
    }

    /** Configures the connections, once, only if the role's defaults differ from what Holdfast needs. */
    @Override
    public Connections open(JdbcUrl url, Settings settings) throws SQLException {
        long seconds =
                Math.max(1, Math.min(settings.callTimeout().plusMillis(999).toSeconds(), 600));
        Properties properties = new Properties();
        settings.username().ifPresent(value -> properties.setProperty("user", value));
        settings.password().ifPresent(value -> properties.setProperty("password", value));
        properties.setProperty("ApplicationName", "holdfast");
        properties.setProperty("connectTimeout", Long.toString(seconds));
        properties.setProperty("socketTimeout", Long.toString(seconds));
        properties.setProperty("tcpKeepAlive", "true");
        // Each function sets for itself how long it waits for a lock, and how durable its commit is.
        DriverDataSource source = new DriverDataSource(url.value(), "org.postgresql:postgresql", properties)
                .withClass("socketFactory", LowLatencySocketFactory.class);
        return new PooledConnections(
                source,
                PostgreSqlErrors.INSTANCE,
                settings.poolSize(),
                settings.maxLifetime(),
                PREPARE_SESSION,
                settings.deadline());
    }

    @Override
    public Database database(JdbcUrl url) {
        return new PostgreSql(url);
    }
}
