package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.Finding.Severity;
import dev.holdfast.lock.spi.LockStore;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the doctor finds about the version and the clock of a server, and about its tables. */
@Tag("second-build")
@Timeout(300)
class MariaDbDiagnosticsTest {

    @Test
    void diagnosis_ofATableOfAnotherEngine_isAnError() throws SQLException {
        MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());
        Opened.store(database.settings()).close();
        database.execute("ALTER TABLE holdfast_token_floor ENGINE = MyISAM");
        try (LockStore store = Opened.store(database.settings())) {
            assertThat(Diagnosed.errors(store.diagnose(Commands.CALL)))
                    .singleElement()
                    .asString()
                    .contains("engine", "holdfast_token_floor");
        }
    }

    @Test
    void diagnosis_whenRightsOnTheTablesAreMissing_namesTheStatementsThatGrantThem() throws SQLException {
        MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());
        Opened.store(database.settings()).close();
        String user = "u" + database.url().replaceFirst(".*/", "");
        database.server().makeUser(user, "pw");
        for (String table : List.of("schema", "lock", "share", "waiter", "tombstone", "token_floor")) {
            database.execute("GRANT SELECT ON holdfast_" + table + " TO " + user);
        }
        for (String table : List.of("lock", "waiter", "tombstone")) {
            database.execute("GRANT INSERT, UPDATE, DELETE ON holdfast_" + table + " TO " + user);
        }
        Map<String, String> settings = database.settings("lock.jdbc.username", user, "lock.jdbc.password", "pw");

        Finding rights = Diagnosed.finding(settings, "rights");

        assertThat(rights.severity()).isEqualTo(Severity.ERROR);
        String advice = rights.advice();
        assertThat(advice)
                .contains("GRANT INSERT, UPDATE, DELETE ON holdfast_share TO '" + user + "'@'%'")
                .contains("GRANT UPDATE ON holdfast_token_floor TO");
        for (String grant : advice.substring(advice.indexOf("GRANT")).split("; ", -1)) {
            database.execute(grant);
        }
        assertThat(Diagnosed.weaknesses(settings)).isEmpty();
    }

    /** A session whose clock stands still in an hour, as a server's with a wrong clock would show. */
    @Test
    void diagnosis_whenTheClockOfTheServerIsWrong_notesTheDifference() {
        MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());
        long ahead = Instant.now().getEpochSecond() + 3_600;
        MariaDbDatabase other =
                new MariaDbDatabase(database.server(), database.url() + "?sessionVariables=timestamp=" + ahead);
        assertThat(Diagnosed.finding(database.settings(), "clock").severity()).isEqualTo(Severity.OK);
        assertThat(Diagnosed.finding(other.settings(), "clock")).satisfies(clock -> {
            assertThat(clock.severity()).isEqualTo(Severity.NOTE);
            assertThat(clock.toString()).contains("ahead of");
        });
    }

    @Test
    void diagnosis_ofAServerThatIsTooOld_warns() {
        assumeTrue(MariaDbServer.shared().isMariaDb(), "the option that makes it seem old is MariaDB's");
        try (MariaDbServer old = MariaDbServer.own("--version=10.5.20-MariaDB")) {
            MariaDbDatabase its = MariaDbDatabase.of(old);
            assertThat(Diagnosed.finding(its.settings(), "version")).satisfies(version -> {
                assertThat(version.severity()).isEqualTo(Severity.WARNING);
                assertThat(version.toString()).contains("10.5.20", "10.6");
            });
        }
    }
}
