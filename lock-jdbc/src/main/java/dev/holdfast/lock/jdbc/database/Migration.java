package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.connection.Failures;
import java.io.Reader;
import java.io.StringReader;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

/**
 * Makes the tables with Flyway, beside whatever else is in the schema: scripts and history are our own, nothing is looked
 * for on the class path, and an application's own Flyway never hears of it. The only class that knows Flyway.
 */
final class Migration {

    private static final String HISTORY = "holdfast_history";

    private Migration() {}

    /**
     * Makes what is missing.
     *
     * @throws LockConfigurationException why Flyway cannot, and what to do
     * @throws SQLException if the database did not answer meanwhile
     */
    static void run(Scripts scripts, DataSource source) throws SQLException {
        try {
            Flyway.configure(Migration.class.getClassLoader())
                    .dataSource(source)
                    .table(HISTORY)
                    .resourceProvider(new OwnScripts(scripts))
                    .javaMigrationClassProvider(List::of)
                    .skipDefaultCallbacks(true)
                    .placeholderReplacement(false)
                    .baselineOnMigrate(true) // the schema may hold the application's tables
                    .baselineVersion("0")
                    .loggers("slf4j")
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof SQLException failure && Failures.isOutage(failure)) {
                    throw failure;
                }
            }
            throw new LockConfigurationException(
                    "Flyway cannot make the tables of Holdfast: " + e.getMessage()
                            + " (PostgreSQL takes flyway-database-postgresql beside flyway-core, of the same version)."
                            + " They can be made by hand, from " + scripts.folder() + " in lock-jdbc's jar",
                    e);
        }
    }

    private record OwnScripts(Scripts scripts) implements ResourceProvider {

        @Override
        public @Nullable LoadableResource getResource(String name) {
            return scripts.names().contains(name) ? new Script(scripts, name) : null;
        }

        @Override
        public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
            return scripts.names().stream()
                    .filter(name ->
                            name.startsWith(prefix) && Stream.of(suffixes).anyMatch(name::endsWith))
                    .<LoadableResource>map(name -> new Script(scripts, name))
                    .toList();
        }
    }

    private static final class Script extends LoadableResource {

        private final Scripts scripts;
        private final String name;

        Script(Scripts scripts, String name) {
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
