package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Diagnosed.errors;
import static dev.holdfast.lock.jdbc.Diagnosed.examine;
import static dev.holdfast.lock.jdbc.Diagnosed.look;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The findings about a store, and that their advice helps. */
@Tag("first-build")
class DiagnosticsTest {

    @TempDir
    private Path directory;

    /** Up to PostgreSQL 14, every role may create tables in the schema of a new database. */
    private static Postgres ownersOnly() throws SQLException {
        Postgres database = Postgres.database();
        database.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        return database;
    }

    @Test
    void diagnose_whenDatabaseIsHealthy_isOk() throws SQLException {
        assertThat(examine(ownersOnly().settings("lock.namespace", "app")))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK))
                .extracting(Finding::subject)
                .containsExactly(
                        "settings", "connection", "clock", "notifications", "commands", "schema", "replication");
    }

    @Test
    void diagnose_ofSqliteFile_notesThatItIsForOneMachine() {
        assertThat(examine(
                        Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("locks"), "lock.namespace", "app")))
                .allSatisfy(finding -> assertThat(finding.severity()).isLessThanOrEqualTo(Severity.NOTE))
                .filteredOn(finding -> finding.severity() == Severity.NOTE)
                .extracting(Finding::subject)
                .containsExactly("reach");
    }

    @Test
    void diagnose_whenRightsAreMissing_namesTheStatementThatGrantsThem() throws SQLException {
        Postgres database = ownersOnly();
        Opened.store(database.settings()).close(); // makes the tables
        String role = "poor_" + database.value("SELECT current_database()");
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'poor'; GRANT SELECT ON holdfast_lock TO " + role);
        Map<String, String> settings =
                database.settings("lock.jdbc.username", role, "lock.jdbc.password", "poor", "lock.namespace", "app");

        List<Finding> findings = examine(settings);

        assertThat(errors(findings)).extracting(Finding::subject).containsExactly("commands", "rights");
        assertThat(errors(findings).get(0).found()).contains("permission denied for table holdfast_lock");
        String advice = errors(findings).get(1).advice();
        assertThat(advice)
                .contains("GRANT INSERT, UPDATE, DELETE ON public.holdfast_lock TO " + role)
                .contains("GRANT SELECT, UPDATE ON public.holdfast_token_floor TO " + role);
        database.execute(advice.substring(advice.indexOf("GRANT")));
        assertThat(examine(settings))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK));
    }

    @Test
    void diagnose_whenAFunctionMayNotBeCalled_namesIt() throws SQLException {
        Postgres database = Postgres.database();
        Opened.store(database.settings()).close();
        String role = "exec_" + database.value("SELECT current_database()");
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'exec';"
                + "GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role + ";"
                + "REVOKE EXECUTE ON FUNCTION holdfast_prune FROM PUBLIC");

        List<Finding> findings = examine(
                database.settings("lock.jdbc.username", role, "lock.jdbc.password", "exec", "lock.namespace", "app"));

        assertThat(errors(findings))
                .singleElement()
                .satisfies(finding -> assertThat(finding.advice())
                        .contains(
                                "GRANT EXECUTE ON FUNCTION public.holdfast_prune(bigint, bigint, integer) TO " + role));
    }

    @Test
    void diagnose_whenSchemaNameNeedsQuotes_isOk() throws SQLException {
        Postgres database = Postgres.database();
        database.execute("CREATE SCHEMA \"O'Brien? $x\"");
        assertThat(examine(database.settings(
                        "lock.jdbc.url",
                        database.url() + "?currentSchema=%22O%27Brien%3F+%24x%22",
                        "lock.namespace",
                        "app")))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK))
                .last()
                .isNotNull();
        assertThat(database.value("SELECT to_regclass('\"O''Brien? $x\".holdfast_lock')"))
                .isNotNull();
    }

    @Test
    void diagnose_whenThereAreNoTables_createsNone() throws SQLException, IOException {
        Path file = directory.resolve("none").resolve("locks");
        assertThatThrownBy(() -> look(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file)))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("there is no file " + file);
        assertThat(file.getParent()).doesNotExist();

        Path others = directory.resolve("an application's");
        try (Connection application = DriverManager.getConnection("jdbc:sqlite:" + others);
                Statement statement = application.createStatement()) {
            statement.execute("CREATE TABLE item (id INTEGER)");
        }
        byte[] before = Files.readAllBytes(others);
        assertThatThrownBy(() -> look(Map.of("lock.jdbc.url", "jdbc:sqlite:" + others)))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("there are no tables of Holdfast");
        assertThat(others).hasBinaryContent(before);
        assertThat(directory.toFile().list()).containsExactly("an application's");

        Postgres database = Postgres.database();
        assertThatThrownBy(() -> look(database.settings()))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("there are no tables of Holdfast");
        assertThat(database.value("SELECT to_regclass('holdfast_lock')")).isNull();

        assertThat(examine(database.settings())).isNotEmpty();
        look(database.settings());
    }

    @Test
    void diagnose_whenServerIsUnreachableOrPasswordWrong_isAnError() {
        Postgres database = Postgres.database();
        assertThat(errors(examine(database.settings("lock.jdbc.password", "wrong"))))
                .extracting(Finding::subject)
                .containsExactly("configuration");
        assertThat(errors(examine(database.settings("lock.jdbc.url", "jdbc:postgresql://127.0.0.1:1/none"))))
                .extracting(Finding::subject)
                .containsExactly("connection");
    }
}
