package dev.holdfast.lock.jdbc.h2;

import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.ApartConnections;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.DriverDataSource;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.row.RowLockDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;

/** H2, by {@code jdbc:h2:}: in memory, in a file, or as a server. */
public final class H2Type implements DatabaseType {

    private static final String PREFIX = "jdbc:h2:";

    /** For the list of all types. */
    public H2Type() {}

    @Override
    public String urlForm() {
        return "jdbc:h2:<database>";
    }

    @Override
    public boolean accepts(JdbcUrl url) {
        return url.value().startsWith(PREFIX);
    }

    @Override
    public boolean isProduct(String productName) {
        return productName.equals("H2");
    }

    @Override
    public Optional<String> allowedInstead(JdbcUrl url) {
        String upper = url.value().toUpperCase(Locale.ROOT);
        if (isInMemory(url)
                && !upper.contains(
                        ";DB_CLOSE_DELAY=-1")) { // otherwise it ends, with its locks, between two connections
            return Optional.of("with ;DB_CLOSE_DELAY=-1, for a database in memory");
        }
        return upper.contains(";PASSWORD=")
                ? Optional.of(urlForm() + ", with the user in lock.jdbc.username and lock.jdbc.password")
                : Optional.empty();
    }

    static boolean isInMemory(JdbcUrl url) {
        return url.value().startsWith(PREFIX + "mem:");
    }

    static boolean isServer(JdbcUrl url) {
        return url.value().startsWith(PREFIX + "tcp:") || url.value().startsWith(PREFIX + "ssl:");
    }

    @Override
    public ErrorClasses errors() {
        return H2Errors.INSTANCE;
    }

    @Override
    public Connections open(JdbcUrl url, Settings settings) throws SQLException {
        Properties properties = new Properties();
        settings.username().ifPresent(value -> properties.setProperty("user", value));
        settings.password().ifPresent(value -> properties.setProperty("password", value));
        if (!settings.create()) {
            properties.setProperty("IFEXISTS", "TRUE");
        }
        if (isServer(url)) { // the driver cannot limit a single call
            properties.setProperty(
                    "NETWORK_TIMEOUT",
                    Long.toString(Math.max(1, settings.callTimeout().toMillis())));
        }
        DriverDataSource source = new DriverDataSource(url.value(), "com.h2database:h2", properties)
                .withSession(List.of("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED"));
        return isServer(url) || isInMemory(url)
                ? new PooledConnections(
                        source, errors(), settings.poolSize(), settings.maxLifetime(), null, settings.deadline())
                : ApartConnections.open(source, errors(), settings.poolSize(), settings.deadline());
    }

    @Override
    public Database database(JdbcUrl url) {
        return new RowLockDatabase(new H2Dialect(url), url);
    }
}
