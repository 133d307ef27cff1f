package dev.holdfast.lock.jdbc.connection;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.stream.Stream;

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
        this(
                url,
                DriverManager.drivers()
                        .filter(each -> understands(each, url))
                        .findFirst()
                        .orElseThrow(() -> new SQLException(
                                "no driver on the class path understands the URL: either the URL is wrong, or the driver, "
                                        + artifact(url) + ", is missing",
                                Failures.NO_DRIVER)),
                properties);
    }

    private DriverSource(String url, Driver driver, Properties properties) {
        this.url = url;
        this.driver = driver;
        this.properties = properties;
    }

    /**
     * The same, where the driver makes use of a class of ours by its name; or this, if it can see none of that name, or somebody has
     * named another, in the URL or wherever else the driver looks.
     *
     * @throws SQLException if the driver cannot say
     */
    public DriverSource naming(String property, Class<?> type) throws SQLException {
        if (!sees(type) || !isOpen(property)) {
            return this;
        }
        Properties more = new Properties();
        more.putAll(properties);
        more.setProperty(property, type.getName());
        return new DriverSource(url, driver, more);
    }

    private boolean isOpen(String property) throws SQLException {
        return Stream.of(driver.getPropertyInfo(url, properties))
                .anyMatch(each -> each.name.equals(property) && each.value == null);
    }

    /** An application may have loaded the driver elsewhere, or as no module. */
    private boolean sees(Class<?> type) {
        Class<?> from = driver.getClass();
        try {
            return Class.forName(type.getName(), false, from.getClassLoader()) == type
                    && type.getModule().isExported(type.getPackageName(), from.getModule());
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
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
