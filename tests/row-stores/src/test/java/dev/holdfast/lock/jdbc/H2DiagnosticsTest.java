package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.H2Server;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the doctor finds about H2 in memory, in a file and as a server. */
@Tag("second-build")
@Timeout(300)
class H2DiagnosticsTest {

    @TempDir
    private Path directory;

    private static Optional<Severity> severity(List<Finding> findings, String subject) {
        return findings.stream()
                .filter(each -> each.subject().equals(subject))
                .map(Finding::severity)
                .findFirst();
    }

    private List<Finding> ofFile(String parameters) {
        String url = "jdbc:h2:" + directory.resolve("locks") + parameters;
        return Diagnosed.examine(Map.of("lock.jdbc.url", url, "lock.jdbc.username", "sa"));
    }

    @Test
    void diagnosis_inMemory_notesThatItIsForOneProcess() {
        List<Finding> findings = Diagnosed.examine(H2Database.inMemory().settings());
        assertThat(severity(findings, "reach")).contains(Severity.NOTE);
        assertThat(severity(findings, "durability")).isEmpty();
        assertThat(severity(findings, "clock")).contains(Severity.OK);
        assertThat(findings).noneMatch(each -> each.severity() == Severity.ERROR);
        assertThat(findings.toString()).contains("H2 2.");
    }

    @Test
    void diagnosis_ofAFile_warnsUnlessCommitsAreWrittenAtOnce() {
        List<Finding> delayed = ofFile("");
        assertThat(severity(delayed, "reach")).contains(Severity.NOTE);
        assertThat(severity(delayed, "durability")).contains(Severity.WARNING);
        List<Finding> atOnce = ofFile(";WRITE_DELAY=0");
        assertThat(severity(atOnce, "durability")).isEmpty();
        assertThat(atOnce).noneMatch(each -> each.severity() == Severity.ERROR);
    }

    @Test
    void diagnosis_whenRightsOnTheTablesAreMissing_namesTheStatementsThatGrantThem() throws SQLException {
        String url = "jdbc:h2:" + directory.resolve("locks");
        Opened.store(Map.of("lock.jdbc.url", url, "lock.jdbc.username", "sa")).close();
        Map<String, String> settings =
                Map.of("lock.jdbc.url", url, "lock.jdbc.username", "poor", "lock.jdbc.password", "pw");
        try (Connection connection = DriverManager.getConnection(url, "sa", "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER poor PASSWORD 'pw'");
            statement.execute("GRANT SELECT ON SCHEMA public TO poor");
            statement.execute(
                    "GRANT INSERT, UPDATE, DELETE ON holdfast_lock, holdfast_waiter, holdfast_tombstone TO poor");

            Finding rights = Diagnosed.finding(settings, "rights");

            assertThat(rights.severity()).isEqualTo(Severity.ERROR);
            String advice = rights.advice();
            assertThat(advice)
                    .contains("GRANT INSERT, UPDATE, DELETE ON holdfast_share TO POOR")
                    .contains("GRANT UPDATE ON holdfast_token_floor TO POOR");
            statement.execute(advice.substring(advice.indexOf("GRANT")));
            assertThat(Diagnosed.errors(Diagnosed.examine(settings))).isEmpty();
        }
    }

    @Test
    void diagnosis_ofAServer_findsNoWeakness() {
        try (H2Server server = H2Server.own()) {
            assertThat(Diagnosed.weaknesses(server.settings())).isEmpty();
            assertThat(severity(Diagnosed.examine(server.settings()), "reach")).isEmpty();
        }
    }
}
