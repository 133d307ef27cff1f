package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lock is lost while the command runs: the command ends, with its family, and the status is 76. */
class LostIT extends SqliteRuns {

    private Marks marks;

    @BeforeEach
    void family() throws Exception {
        marks = new Marks(folder);
    }

    @AfterEach
    void endFamily() throws Exception {
        marks.kill();
    }

    @Test
    void takenAwayByForceTheCommandEndsWithItsFamily() throws Exception {
        RunHere run = run("6s", marks.family());
        run.await("marks of the whole family", marks::byWholeFamily);

        takeAway();

        assertLost(run);
    }

    @Test
    void whatClearedItsEnvironmentIsNotForgottenWhenItsParentEnds() throws Exception {
        RunHere run = run("6s", marks.cleared());
        run.await("a mark", () -> marks.by("cleared"));

        takeAway();

        assertLost(run);
    }

    private void takeAway() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("DELETE FROM holdfast_lock WHERE name = 'a'"))
                    .isOne();
        }
    }

    /** A third of the lease is left when the command has to go, and a sixth when it is killed: that is what a standstill may take. */
    @Test
    void theStoreStopsAnsweringAndTheFamilyIsGoneBeforeTheLeaseCanEnd() throws Exception {
        RunHere run = run("18s", marks.family());
        run.await("marks of the whole family", marks::byWholeFamily);

        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 10000");
            statement.execute("BEGIN EXCLUSIVE");
            Instant until = until(statement);

            assertLost(run);
            assertThat(marks.last()).isBefore(until);
            statement.execute("ROLLBACK");
        }
    }

    private RunHere run(String lease, List<String> command) throws Exception {
        List<String> words = new ArrayList<>(List.of("--lease", lease, "a", "--"));
        words.addAll(command);
        return run(words.toArray(String[]::new));
    }

    private void assertLost(RunHere run) throws Exception {
        assertThat(run.status()).as(run.said()).isEqualTo(76);
        assertThat(marks.members()).isEmpty();
        assertThat(run.said()).startsWith("lock: lost 'a': ").hasLineCount(1);
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + database());
    }

    private static Instant until(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT until FROM holdfast_lock WHERE name = 'a'")) {
            assertThat(row.next()).isTrue();
            return Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS);
        }
    }
}
