package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.jdbc.sqlite.SqliteDialect;
import java.io.File;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that lack an optional jar, Flyway, a part of it or a driver, or the native library of one. */
@Tag("second-build")
class MissingJarsTest {

    private static final String CONFIGURATION = LockConfigurationException.class.getName();

    private final Postgres database = Postgres.database();

    @TempDir
    Path directory;

    @Test
    void open_withoutFlywayButWithTables_succeeds() throws Exception {
        SchemaScripts ofPostgres = new PostgreSql().scripts();
        for (String script : ofPostgres.names()) {
            database.execute(ofPostgres.text(script));
        }

        SchemaScripts ofSqlite = new SqliteDialect(new JdbcUrl(sqlite())).scripts();
        try (Connection connection = DriverManager.getConnection(sqlite());
                Statement statement = connection.createStatement()) {
            for (String script : ofSqlite.names()) {
                statement.executeUpdate(ofSqlite.text(script));
            }
        }
        assertThat(outcomes(
                        "flyway",
                        List.of(
                                database.settings("lock.jdbc.migrate", "true"),
                                database.settings("lock.jdbc.migrate", "false"),
                                Map.of("lock.jdbc.url", sqlite(), "lock.jdbc.migrate", "true"),
                                Map.of("lock.jdbc.url", sqlite(), "lock.jdbc.migrate", "false"))))
                .hasSize(4)
                .containsOnly(LocksOnce.LOCKED);
    }

    @Test
    void open_withoutFlywayAndTables_saysWhatToDo() throws Exception {
        List<String> outcomes = outcomes("flyway", List.of(database.settings(), Map.of("lock.jdbc.url", sqlite())));
        assertThat(outcomes.get(0))
                .startsWith(CONFIGURATION)
                .endsWith(
                        ": there are no tables of Holdfast; flyway-core, which would create them, is not on the class path"
                                + " (on a module path: --add-modules flyway.core). To create them by hand, run"
                                + " V1__tables.sql, then functions.sql, in lock-jdbc's jar under"
                                + " dev/holdfast/lock/jdbc/postgresql");
        assertThat(outcomes.get(1))
                .startsWith(CONFIGURATION)
                .contains(": there are no tables of Holdfast; flyway-core")
                .endsWith("run V1__tables.sql, in lock-jdbc's jar under dev/holdfast/lock/jdbc/sqlite");
    }

    @Test
    void open_withFlywayOfAnUnknownVersion_saysWhatToDo() throws Exception {
        Path source =
                Files.createDirectories(directory.resolve("org/flywaydb/core")).resolve("Flyway.java");
        Files.writeString(source, "package org.flywaydb.core; public class Flyway {}");
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()))
                .isZero();
        assertThat(outcomesOn(classPath("flyway", directory.toString()), List.of(Map.of("lock.jdbc.url", sqlite())))
                        .get(0))
                .startsWith(CONFIGURATION)
                .contains("the Flyway on the class path, which would create them, is of an unknown version")
                .contains("V1__tables.sql, in lock-jdbc's jar under dev/holdfast/lock/jdbc/sqlite");
    }

    @Test
    void open_withoutFlywaysPostgresModule_namesItAndSqliteNeedsNone() throws Exception {
        Map<String, String> settings = new HashMap<>(database.settings());
        settings.put("lock.jdbc.url", database.url() + "?password=" + settings.remove("lock.jdbc.password"));
        List<String> outcomes =
                outcomes("flyway-database-postgresql", List.of(settings, Map.of("lock.jdbc.url", sqlite())));
        assertThat(outcomes.get(0))
                .startsWith(CONFIGURATION)
                .contains("flyway-database-postgresql")
                .contains("dev/holdfast/lock/jdbc/postgresql")
                .doesNotContain("?password=" + database.server().password());
        assertThat(outcomes.get(1)).isEqualTo(LocksOnce.LOCKED);
    }

    @Test
    void open_withoutDriver_namesItsArtifact() throws Exception {
        Map<String, String> artifacts = new LinkedHashMap<>();
        artifacts.put(database.url(), "org.postgresql:postgresql");
        artifacts.put(sqlite(), "org.xerial:sqlite-jdbc");
        artifacts.put("jdbc:h2:" + directory.resolve("locks"), "com.h2database:h2");
        artifacts.put("jdbc:mariadb://localhost/x", "org.mariadb.jdbc:mariadb-java-client");
        artifacts.put("jdbc:mysql://localhost/x", "com.mysql:mysql-connector-j");
        String drivers = "(postgresql|sqlite-jdbc|h2|mariadb-java-client|mysql-connector-j)-[0-9]";

        List<String> outcomes = outcomes(
                drivers,
                artifacts.keySet().stream()
                        .map(url -> Map.of("lock.jdbc.url", url))
                        .toList());

        assertThat(outcomes).hasSameSizeAs(artifacts.keySet());
        Iterator<String> outcome = outcomes.iterator();
        artifacts.forEach((url, artifact) -> assertThat(outcome.next())
                .startsWith(CONFIGURATION)
                .contains(url)
                .contains(artifact));
    }

    /** As in a temporary directory that is mounted with noexec; the driver keeps the reason to its log. */
    @Test
    void open_whenSqlitesLibraryCannotBeLoaded_saysFromWhereAndWhatToDo() throws Exception {
        Path none = directory.resolve("none");
        assertThat(outcomesOn(
                                List.of("-Dorg.sqlite.tmpdir=" + none),
                                System.getProperty("java.class.path"),
                                List.of(Map.of("lock.jdbc.url", sqlite())))
                        .get(0))
                .startsWith(CONFIGURATION)
                .endsWith(": cannot open " + sqlite() + ": SQLite's driver cannot load its native library from " + none
                        + ", which is not a directory: set -Dorg.sqlite.tmpdir=DIRECTORY to a directory from which"
                        + " libraries may be loaded");
    }

    private String sqlite() {
        return "jdbc:sqlite:" + directory.resolve("locks.db");
    }

    /** What {@link LocksOnce} says, of each configuration, in a process without the jars whose names begin as this pattern. */
    private List<String> outcomes(String missing, List<Map<String, String>> settings) throws Exception {
        return outcomesOn(classPath(missing), settings);
    }

    private List<String> outcomesOn(String classPath, List<Map<String, String>> settings) throws Exception {
        return outcomesOn(List.of(), classPath, settings);
    }

    private List<String> outcomesOn(List<String> options, String classPath, List<Map<String, String>> settings)
            throws Exception {
        List<String> command = new ArrayList<>(options);
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-cp",
                classPath,
                LocksOnce.class.getName()));
        for (Map<String, String> each : settings) {
            Properties all = new Properties();
            all.putAll(each);
            all.setProperty("lock.provider", "jdbc");
            all.setProperty("lock.lease", "10m"); // a call on a busy machine may take long
            all.setProperty("lock.call-timeout", "1m");
            Path configuration = directory.resolve("lock-" + command.size() + ".properties");
            try (OutputStream out = Files.newOutputStream(configuration)) {
                all.store(out, null);
            }
            command.add(configuration.toString());
        }
        return JavaProcess.run(directory, "java", command.toArray(String[]::new))
                .output()
                .lines()
                .toList();
    }

    private static String classPath(String missing, String... instead) {
        List<String> all = List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
        List<String> kept = new ArrayList<>(all.stream()
                .filter(entry -> !Path.of(entry).getFileName().toString().matches("(?:" + missing + ").*"))
                .toList());
        assertThat(kept).as("without " + missing).hasSizeLessThan(all.size());
        kept.addAll(List.of(instead));
        return String.join(File.pathSeparator, kept);
    }
}
