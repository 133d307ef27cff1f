package dev.holdfast.lock.jdbc.mysql;

import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.DriverDataSource;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.row.RowLockDatabase;
import java.sql.SQLException;
import java.util.Properties;

/**
 * MariaDB by {@code jdbc:mariadb:} and MySQL by {@code jdbc:mysql:}. Either driver reaches either server, and both servers have
 * one dialect.
 */
public final class MySqlType implements DatabaseType {

    private static final String MARIADB = "jdbc:mariadb:";
    private static final String MYSQL = "jdbc:mysql:";

    /** For the list of all types. */
    public MySqlType() {}

    @Override
    public String urlForm() {
        return "jdbc:mariadb://<host>/<database>, jdbc:mysql://<host>/<database>";
    }

    @Override
    public boolean accepts(JdbcUrl url) {
        return url.value().startsWith(MARIADB) || url.value().startsWith(MYSQL);
    }

    @Override
    public boolean isProduct(String productName) {
        return productName.equals("MariaDB") || productName.equals("MySQL");
    }

    @Override
    public ErrorClasses errors() {
        return MySqlErrors.INSTANCE;
    }

    @Override
    public Connections open(JdbcUrl url, Settings settings) throws SQLException {
        Properties properties = new Properties();
        settings.username().ifPresent(value -> properties.setProperty("user", value));
        settings.password().ifPresent(value -> properties.setProperty("password", value));
        String millis =
                Long.toString(Math.max(1, Math.min(settings.callTimeout().toMillis(), 600_000)));
        properties.setProperty("connectTimeout", millis);
        properties.setProperty("socketTimeout", millis);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("allowMultiQueries", "true");
        String artifact = url.value().startsWith(MARIADB)
                ? "org.mariadb.jdbc:mariadb-java-client"
                : "com.mysql:mysql-connector-j";
        DriverDataSource source = new DriverDataSource(url.value(), artifact, properties)
                .withSession(MySqlDialect.session(settings.callTimeout()));
        return new PooledConnections(
                source, errors(), settings.poolSize(), settings.maxLifetime(), null, settings.deadline());
    }

    @Override
    public Database database(JdbcUrl url) {
        return new RowLockDatabase(new MySqlDialect(sendsSeveral(url)), url);
    }

    /** Whether the driver sends several statements at once: not if the URL forbids it, or has the server prepare statements. */
    private static boolean sendsSeveral(JdbcUrl url) {
        return !url.value().contains("allowMultiQueries") && !url.value().contains("useServerPrepStmts");
    }
}
