package dev.holdfast.lock.jdbc.pool;

import java.lang.reflect.InvocationTargetException;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the driver of a URL wherever the application has it. {@link DriverManager} looks for drivers once in a JVM: in a servlet
 * container before there is any application, and in a fat jar only those in the merged service file.
 */
final class Drivers {

    private static final Logger log = LoggerFactory.getLogger(Drivers.class);

    /** The driver's class, for a jar that lacks the driver's service file. */
    private static final Map<String, String> CLASSES = Map.of(
            "org.postgresql:postgresql", "org.postgresql.Driver",
            "org.mariadb.jdbc:mariadb-java-client", "org.mariadb.jdbc.Driver",
            "com.mysql:mysql-connector-j", "com.mysql.cj.jdbc.Driver",
            "com.h2database:h2", "org.h2.Driver",
            "org.xerial:sqlite-jdbc", "org.sqlite.JDBC");

    private Drivers() {}

    /**
     * The driver that accepts the URL: of those that are registered, else of those that Holdfast's class loader sees, else of
     * those that the thread's context class loader sees.
     *
     * @param artifact the driver, as Maven names it
     * @throws SQLException if there is none
     */
    static Driver find(String url, String artifact) throws SQLException {
        List<Supplier<Stream<Driver>>> sources = new ArrayList<>();
        sources.add(DriverManager::drivers);
        ClassLoader own = Drivers.class.getClassLoader();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        for (ClassLoader loader : own == context ? new ClassLoader[] {own} : new ClassLoader[] {own, context}) {
            sources.add(() -> services(loader).stream());
            sources.add(() -> byName(CLASSES.get(artifact), loader).stream());
        }
        return sources.stream()
                .flatMap(Supplier::get)
                .filter(each -> accepts(each, url))
                .findFirst()
                .orElseThrow(() -> new SQLException(
                        "no driver on the class path accepts the URL: either the URL is wrong, or the driver, "
                                + artifact + ", is missing",
                        ErrorClasses.NO_DRIVER));
    }

    /** Without drivers that cannot be loaded, such as one built for a newer Java. */
    private static List<Driver> services(@Nullable ClassLoader loader) {
        List<Driver> drivers = new ArrayList<>();
        Iterator<Driver> services = ServiceLoader.load(Driver.class, loader).iterator();
        while (true) {
            try {
                if (!services.hasNext()) {
                    return drivers;
                }
                drivers.add(services.next());
            } catch (ServiceConfigurationError e) {
                log.debug("a driver cannot be loaded", e);
            }
        }
    }

    private static Optional<Driver> byName(@Nullable String type, @Nullable ClassLoader loader) {
        if (type == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Class.forName(type, true, loader)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance());
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        } catch (NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException
                | ClassCastException
                | LinkageError e) {
            log.debug("the driver {} cannot be loaded", type, e);
            return Optional.empty();
        }
    }

    private static boolean accepts(Driver driver, String url) {
        try {
            return driver.acceptsURL(url);
        } catch (SQLException e) {
            return false;
        }
    }
}
