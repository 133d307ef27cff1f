package dev.holdfast.lock.jdbc.connection;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/**
 * New connections straight from the driver. A data source of our own because the pool would otherwise set the login timeout
 * of {@link DriverManager}, which is the whole JVM's.
 */
public final class DriverSource extends BareSource {

    private final String url;
    private final Driver driver;
    private final Properties properties;

    /**
     * @param properties for the driver; what the URL says itself comes first
     * @throws SQLException if no driver on the class path knows the URL
     */
    public DriverSource(String url, Properties properties) throws SQLException {
        this.url = url;
        this.driver = DriverManager.drivers()
                .filter(each -> understands(each, url))
                .findFirst()
                .orElseThrow(() -> new SQLException(
                        "no driver on the class path understands the URL: either the URL is wrong, or the driver, "
                                + artifact(url) + ", is missing",
                        Failures.NO_DRIVER));
        this.properties = properties;
    }

    private static String artifact(String url) {
        return new JdbcUrl(url).isSqlite() ? "org.xerial:sqlite-jdbc" : "org.postgresql:postgresql";
    }

    private static boolean understands(Driver driver, String url) {
        try {
            return driver.acceptsURL(url);
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        Properties copy = new Properties();
        copy.putAll(properties);
        Connection connection = driver.connect(url, copy);
        if (connection == null) {
            throw new SQLException("the driver does not accept the URL");
        }
        return connection;
    }
}
