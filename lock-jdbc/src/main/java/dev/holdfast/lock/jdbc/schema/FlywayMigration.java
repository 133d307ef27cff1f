package dev.holdfast.lock.jdbc.schema;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.jdbc.pool.ErrorClass;
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
import java.util.Optional;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

/**
 * Creates and upgrades the tables with Flyway, beside anything else in the schema: scripts and history are Holdfast's own, Flyway
 * does not scan the class path, and an application's own Flyway is not affected. The only class that knows Flyway.
 */
final class FlywayMigration {

    private FlywayMigration() {}

    /**
     * Runs the scripts that the tables lack. A script that failed before is run again, as each is harmless when repeated.
     *
     * @param version of the existing tables; 0 if there are none
     * @param connection closed by the caller
     * @throws LockConfigurationException if Flyway cannot, with the reason and what to do
     * @throws SQLException if the database did not reply, or other transactions were in the way
     */
    static void run(SchemaScripts scripts, int version, Connection connection, ErrorClasses errors)
            throws SQLException {
        try {
            Flyway flyway = Flyway.configure(FlywayMigration.class.getClassLoader())
                    .dataSource(new SingleConnectionDataSource(connection))
                    .table(SchemaState.HISTORY)
                    .resourceProvider(new ScriptResources(scripts))
                    .javaMigrationClassProvider(List::of)
                    .skipDefaultCallbacks(true)
                    .placeholderReplacement(false)
                    .createSchemas(false) // of a misspelt name, for example
                    .baselineOnMigrate(true) // the schema may contain the application's tables, or ours, made by hand
                    .baselineVersion(Integer.toString(version))
                    .validateOnMigrate(false) // what counts is the version in holdfast_schema
                    .loggers("slf4j")
                    .load();
            if (Stream.of(flyway.info().all()).anyMatch(each -> each.getState().isFailed())) {
                flyway.repair(); // removes the failed one from the history
            }
            flyway.migrate();
        } catch (FlywayException e) {
            Optional<SQLException> temporary = temporaryCause(e, errors);
            if (temporary.isPresent()) {
                throw temporary.get();
            }
            throw new LockConfigurationException(
                    "Flyway cannot create or upgrade the tables of Holdfast: " + e.getMessage()
                            + " (PostgreSQL needs flyway-database-postgresql beside flyway-core, MySQL and MariaDB need"
                            + " flyway-mysql, of the same version)."
                            + " They can be created by hand, from " + scripts.folder() + " in lock-jdbc's jar",
                    e);
        }
    }

    private static Optional<SQLException> temporaryCause(Throwable failure, ErrorClasses errors) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException reason
                    && (errors.classify(reason).isOutage() || errors.classify(reason) == ErrorClass.ROLLED_BACK)) {
                return Optional.of(reason);
            }
        }
        return Optional.empty();
    }

    /**
     * One connection as a data source, for one thread: handed out on every request, and not closed when it is returned.
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

    private record ScriptResources(SchemaScripts scripts) implements ResourceProvider {

        @Override
        public @Nullable LoadableResource getResource(String name) {
            return scripts.migrations().stream()
                    .filter(script -> script.name().equals(name))
                    .findFirst()
                    .map(script -> new ScriptResource(scripts.folder(), script))
                    .orElse(null);
        }

        @Override
        public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
            return scripts.migrations().stream()
                    .filter(script -> script.name().startsWith(prefix)
                            && Stream.of(suffixes).anyMatch(script.name()::endsWith))
                    .<LoadableResource>map(script -> new ScriptResource(scripts.folder(), script))
                    .toList();
        }
    }

    private static final class ScriptResource extends LoadableResource {

        private final String folder;
        private final SchemaScripts.Script script;

        ScriptResource(String folder, SchemaScripts.Script script) {
            this.folder = folder;
            this.script = script;
        }

        @Override
        public Reader read() {
            return new StringReader(script.text());
        }

        @Override
        public String getAbsolutePath() {
            return folder + "/" + script.name();
        }

        @Override
        public String getAbsolutePathOnDisk() {
            return getAbsolutePath();
        }

        @Override
        public String getFilename() {
            return script.name();
        }

        @Override
        public String getRelativePath() {
            return script.name();
        }
    }
}
