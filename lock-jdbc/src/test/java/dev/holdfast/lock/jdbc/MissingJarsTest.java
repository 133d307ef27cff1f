package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.database.Scripts;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.sqlite.Sqlite;
import java.io.File;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes whose class path lacks what is optional: Flyway, a part of it, a driver. */
class MissingJarsTest {

    private static final String CONFIGURATION = LockConfigurationException.class.getName();

    private final Postgres database = Postgres.database();

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void withoutFlywayTablesMadeByHandServe(String migrate) throws Exception {
        Scripts ofPostgres = new PostgreSql().scripts();
        for (String script : ofPostgres.names()) {
            database.execute(ofPostgres.text(script));
        }
        assertThat(outcome(database.settings("lock.jdbc.migrate", migrate), "flyway"))
                .isEqualTo(LocksOnce.LOCKED);

        Scripts ofSqlite = new Sqlite(new JdbcUrl(sqlite())).scripts();
        try (Connection connection = DriverManager.getConnection(sqlite());
                Statement statement = connection.createStatement()) {
            for (String script : ofSqlite.names()) {
                statement.executeUpdate(ofSqlite.text(script));
            }
        }
        assertThat(outcome(Map.of("lock.jdbc.url", sqlite(), "lock.jdbc.migrate", migrate), "flyway"))
                .isEqualTo(LocksOnce.LOCKED);
    }

    @Test
    void withoutFlywayAndWithoutTablesItIsSaidWhatToDo() throws Exception {
        assertThat(outcome(database.settings(), "flyway"))
                .startsWith(CONFIGURATION)
                .endsWith(
                        ": there are no tables of Holdfast, and flyway-core, which would make them, is not on the class"
                                + " path (on a module path: --add-modules flyway.core): run V1__tables.sql, then"
                                + " V2__functions.sql, in lock-jdbc's jar under dev/holdfast/lock/jdbc/postgresql");
        assertThat(outcome(Map.of("lock.jdbc.url", sqlite()), "flyway"))
                .startsWith(CONFIGURATION)
                .contains(": there are no tables of Holdfast, and flyway-core")
                .endsWith(": run V1__tables.sql, in lock-jdbc's jar under dev/holdfast/lock/jdbc/sqlite");
    }

    @Test
    void aFlywayOfAnUnknownVersionIsAsGoodAsNone() throws Exception {
        Path source =
                Files.createDirectories(directory.resolve("org/flywaydb/core")).resolve("Flyway.java");
        Files.writeString(source, "package org.flywaydb.core; public class Flyway {}");
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()))
                .isZero();
        assertThat(outcome(Map.of("lock.jdbc.url", sqlite()), "flyway", directory.toString()))
                .startsWith(CONFIGURATION)
                .contains("the Flyway on the class path, which would make them, is of an unknown version")
                .contains("V1__tables.sql, in lock-jdbc's jar under dev/holdfast/lock/jdbc/sqlite");
    }

    @Test
    void withoutFlywaysPartForPostgresItIsSaidWhichOneAndSqliteNeedsNone() throws Exception {
        Map<String, String> settings = new HashMap<>(database.settings());
        settings.put("lock.jdbc.url", database.url() + "?password=" + settings.remove("lock.jdbc.password"));
        assertThat(outcome(settings, "flyway-database-postgresql"))
                .startsWith(CONFIGURATION)
                .contains("flyway-database-postgresql")
                .contains("dev/holdfast/lock/jdbc/postgresql")
                .doesNotContain("?password=" + database.server().password());
        assertThat(outcome(Map.of("lock.jdbc.url", sqlite()), "flyway-database-postgresql"))
                .isEqualTo(LocksOnce.LOCKED);
    }

    @Test
    void withoutItsDriverADatabaseIsToldWhichOneItNeeds() throws Exception {
        assertThat(outcome(database.settings(), "postgresql-"))
                .startsWith(CONFIGURATION)
                .contains(database.url())
                .contains("org.postgresql:postgresql");
        assertThat(outcome(Map.of("lock.jdbc.url", sqlite()), "sqlite-jdbc-"))
                .startsWith(CONFIGURATION)
                .contains(sqlite())
                .contains("org.xerial:sqlite-jdbc");
    }

    private String sqlite() {
        return "jdbc:sqlite:" + directory.resolve("locks.db");
    }

    /** What {@link LocksOnce} says in a process without the jars whose names begin so. */
    private String outcome(Map<String, String> settings, String missing, String... instead) throws Exception {
        Properties all = new Properties();
        all.putAll(settings);
        all.setProperty("lock.provider", "jdbc");
        Path configuration = directory.resolve("lock.properties");
        try (OutputStream out = Files.newOutputStream(configuration)) {
            all.store(out, null);
        }
        return JavaProcess.run(
                        directory,
                        "java",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath(missing, instead),
                        LocksOnce.class.getName(),
                        configuration.toString())
                .output()
                .strip();
    }

    private static String classPath(String missing, String... instead) {
        List<String> all = List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
        List<String> kept = new ArrayList<>(all.stream()
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith(missing))
                .toList());
        assertThat(kept).as("without " + missing).hasSizeLessThan(all.size());
        kept.addAll(List.of(instead));
        return String.join(File.pathSeparator, kept);
    }
}
