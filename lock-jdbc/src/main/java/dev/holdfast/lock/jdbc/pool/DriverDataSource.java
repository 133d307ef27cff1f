package dev.holdfast.lock.jdbc.pool;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * New connections from the driver, without a pool. Not {@link java.sql.DriverManager}, as the pool would then set its login timeout, which
 * is global to the JVM.
 */
public final class DriverDataSource extends AbstractDataSource {

    private final String url;
    private final Driver driver;
    private final Properties properties;
    private final List<String> session;

    /**
     * @param artifact the driver, as Maven names it, for the error if it is missing
     * @param properties for the driver; parameters in the URL take precedence
     * @throws SQLException if no driver accepts the URL
     */
    public DriverDataSource(String url, String artifact, Properties properties) throws SQLException {
        this(url, Drivers.find(url, artifact), properties, List.of());
    }

    private DriverDataSource(String url, Driver driver, Properties properties, List<String> session) {
        this.url = url;
        this.driver = driver;
        this.properties = properties;
        this.session = session;
    }

    /**
     * A data source whose driver uses the class; this one if the driver cannot load the class, or if the URL or another source
     * sets the property.
     *
     * @throws SQLException if the driver does not list its properties
     */
    public DriverDataSource withClass(String property, Class<?> type) throws SQLException {
        if (!canLoad(type) || !isUnset(property)) {
            return this;
        }
        Properties more = new Properties();
        more.putAll(properties);
        more.setProperty(property, type.getName());
        return new DriverDataSource(url, driver, more, session);
    }

    /** A data source that executes these statements on each new connection. */
    public DriverDataSource withSession(List<String> statements) {
        return new DriverDataSource(url, driver, properties, statements);
    }

    private boolean isUnset(String property) throws SQLException {
        return Stream.of(driver.getPropertyInfo(url, properties))
                .anyMatch(each -> each.name.equals(property) && each.value == null);
    }

    /** An application may have loaded the driver with another class loader, or not as a module. */
    private boolean canLoad(Class<?> type) {
        Class<?> from = driver.getClass();
        try {
            return Class.forName(type.getName(), false, from.getClassLoader()) == type
                    && type.getModule().isExported(type.getPackageName(), from.getModule());
        } catch (ClassNotFoundException | LinkageError e) {
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
        try (Statement statement = connection.createStatement()) {
            for (String each : session) {
                statement.execute(each);
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }
}
