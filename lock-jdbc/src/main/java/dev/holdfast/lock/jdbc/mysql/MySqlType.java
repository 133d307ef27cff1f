package dev.holdfast.lock.jdbc.mysql;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.DriverDataSource;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.row.RowLockDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * MariaDB by {@code jdbc:mariadb:} and MySQL by {@code jdbc:mysql:}. Either driver reaches either server, and both servers have
 * one dialect.
 */
public final class MySqlType implements DatabaseType {

    private static final String MARIADB = "jdbc:mariadb:";
    private static final String MYSQL = "jdbc:mysql:";

    /** The parameter of MariaDB's driver for statements that each new session begins with. */
    private static final String INIT_SQL = "initSql";

    private static final Pattern INIT_SQL_IN_URL = Pattern.compile("[?&]" + INIT_SQL + "=", Pattern.CASE_INSENSITIVE);

    private static final Pattern REPLAY_IN_URL =
            Pattern.compile("[?&]transactionReplay(?!=(false|0)(&|$))", Pattern.CASE_INSENSITIVE);

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
    public Optional<String> allowedInstead(JdbcUrl url) {
        if (url.value().startsWith(MARIADB)
                && INIT_SQL_IN_URL.matcher(url.value()).find()) {
            return Optional.of(urlForm() + ", without initSql, which Holdfast sets: sessionVariables sets variables");
        }
        return DatabaseType.super.allowedInstead(url);
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
        List<String> session = MySqlDialect.session(settings.callTimeout());
        String artifact = "com.mysql:mysql-connector-j";
        if (url.value().startsWith(MARIADB)) {
            artifact = "org.mariadb.jdbc:mariadb-java-client";
            // By a URL for several servers the driver opens another session for a connection that the pool checks.
            properties.setProperty(INIT_SQL, String.join(";", session));
        }
        DriverDataSource source = new DriverDataSource(url.value(), artifact, properties)
                .withSession(session); // an older driver knows no initSql
        return new PooledConnections(
                source, errors(), settings.poolSize(), settings.maxLifetime(), null, settings.deadline());
    }

    /** After a failover MariaDB's driver would repeat the statements of a transaction, whose decisions were made before. */
    @Override
    public Database database(JdbcUrl url) {
        if (REPLAY_IN_URL.matcher(url.value()).find()) {
            throw new LockConfigurationException("the URL sets transactionReplay: after a failover the driver repeats"
                    + " transactions, and would grant locks that others hold by then; remove it from " + url);
        }
        return new RowLockDatabase(new MySqlDialect(sendsSeveral(url)), url);
    }

    /** Whether the driver sends several statements at once: not if the URL forbids it, or has the server prepare statements. */
    private static boolean sendsSeveral(JdbcUrl url) {
        return !url.value().contains("allowMultiQueries") && !url.value().contains("useServerPrepStmts");
    }
}
