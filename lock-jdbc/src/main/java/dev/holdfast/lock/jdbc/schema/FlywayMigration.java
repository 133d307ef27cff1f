package dev.holdfast.lock.jdbc.schema;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import java.io.Reader;
import java.io.StringReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

/**
 * Creates the tables with Flyway, beside anything else in the schema: scripts and history are Holdfast's own, Flyway does not scan
 * the class path, and an application's own Flyway is not affected. The only class that knows Flyway.
 */
final class FlywayMigration {

    private FlywayMigration() {}

    /**
     * Creates the missing tables.
     *
     * @param connection closed by the caller
     * @throws LockConfigurationException the reason why Flyway cannot, and what to do
     * @throws SQLException if the database did not reply
     */
    static void run(SqlScripts scripts, Connection connection, ErrorClasses errors) throws SQLException {
        try {
            Flyway.configure(FlywayMigration.class.getClassLoader())
                    .dataSource(new SingleConnectionDataSource(connection))
                    .table(SchemaState.HISTORY)
                    .resourceProvider(new ScriptResources(scripts))
                    .javaMigrationClassProvider(List::of)
                    .skipDefaultCallbacks(true)
                    .placeholderReplacement(false)
                    .createSchemas(false) // of a misspelt name, for example
                    .baselineOnMigrate(true) // the schema may contain the application's tables
                    .baselineVersion("0")
                    .loggers("slf4j")
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof SQLException failure
                        && errors.classify(failure).isOutage()) {
                    throw failure;
                }
            }
            throw new LockConfigurationException(
                    "Flyway cannot create the tables of Holdfast: " + e.getMessage()
                            + " (PostgreSQL needs flyway-database-postgresql beside flyway-core, MySQL and MariaDB need"
                            + " flyway-mysql, of the same version)."
                            + " They can be created by hand, from " + scripts.folder() + " in lock-jdbc's jar",
                    e);
        }
    }

    /**
     * One connection as a data source, for one thread: handed out as often as asked for, and not closed when it is given back.
     * Flyway takes several connections at once, from a pool that may have two.
     */
    private static final class SingleConnectionDataSource extends AbstractDataSource {

        private final Connection connection;

        SingleConnectionDataSource(Connection connection) {
            this.connection = connection;
        }

        @Override
        public Connection getConnection() {
            return (Connection) Proxy.newProxyInstance(
                    FlywayMigration.class.getClassLoader(), new Class<?>[] {Connection.class}, this::invoke);
        }

        private @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            if (method.getName().equals("close")) {
                return null;
            }
            try {
                return method.invoke(connection, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        }
    }

    private record ScriptResources(SqlScripts scripts) implements ResourceProvider {

        @Override
        public @Nullable LoadableResource getResource(String name) {
            return scripts.names().contains(name) ? new ScriptResource(scripts, name) : null;
        }

        @Override
        public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
            return scripts.names().stream()
                    .filter(name ->
                            name.startsWith(prefix) && Stream.of(suffixes).anyMatch(name::endsWith))
                    .<LoadableResource>map(name -> new ScriptResource(scripts, name))
                    .toList();
        }
    }

    private static final class ScriptResource extends LoadableResource {

        private final SqlScripts scripts;
        private final String name;

        ScriptResource(SqlScripts scripts, String name) {
            this.scripts = scripts;
            this.name = name;
        }

        @Override
        public Reader read() {
            return new StringReader(scripts.text(name));
        }

        @Override
        public String getAbsolutePath() {
            return scripts.folder() + "/" + name;
        }

        @Override
        public String getAbsolutePathOnDisk() {
            return getAbsolutePath();
        }

        @Override
        public String getFilename() {
            return name;
        }

        @Override
        public String getRelativePath() {
            return name;
        }
    }
}
