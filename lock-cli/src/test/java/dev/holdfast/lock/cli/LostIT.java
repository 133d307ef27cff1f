package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Stalls;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The lock is lost while the command runs: the command and its descendants are terminated, and the exit status is 76. */
@Execution(ExecutionMode.CONCURRENT) // they mostly wait
@Tag("first-build")
@Order(1)
class LostIT extends SqliteCliTestBase {

    private MarkFile marks;

    @Override
    String store() {
        return TestStores.forBriefLeases(super.store());
    }

    @BeforeEach
    void createMarkFile() throws Exception {
        marks = new MarkFile(folder);
    }

    @AfterEach
    void killDescendants() throws Exception {
        marks.killAll();
    }

    @Test
    void run_whenLockTakenByForce_terminatesCommandWithDescendants() throws Exception {
        InProcessRun run = run("30s", marks.family());
        run.await("marks of all descendants", marks::hasMarksOfAll);

        takeAway();

        assertLost(run);
    }

    @Test
    void run_whenChildClearedItsEnvironment_terminatesItAfterItsParentEnded() throws Exception {
        InProcessRun run = run("30s", marks.cleared());
        run.await("a mark", () -> marks.hasMark("cleared"));

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

    /** TERM is sent with a third of the lease left and KILL with a sixth, or later while the machine stands still. */
    @Test
    void run_whenStoreStopsAnswering_terminatesDescendantsBeforeLeaseEnds() throws Exception {
        InProcessRun run = run("30s", marks.family());
        run.await("marks of all descendants", marks::hasMarksOfAll);

        try (Stalls stalls = new Stalls();
                Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 10000");
            statement.execute("BEGIN EXCLUSIVE");
            Instant until = until(statement);

            assertLost(run);
            assertThat(marks.lastMarkTime()).isBefore(until.plus(stalls.total()));
            statement.execute("ROLLBACK");
        }
    }

    private InProcessRun run(String lease, List<String> command) throws Exception {
        List<String> words = new ArrayList<>(List.of("--lease", lease, "a", "--"));
        words.addAll(command);
        return run(words.toArray(String[]::new));
    }

    private void assertLost(InProcessRun run) throws Exception {
        assertThat(run.exitStatus()).as(run.stderr()).isEqualTo(76);
        assertThat(marks.commands()).isEmpty();
        assertThat(run.stderr())
                .startsWith("lock: lost 'a' in the jdbc store: ")
                .hasLineCount(1);
    }

    private static Instant until(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT expires_at FROM holdfast_lock WHERE name = 'a'")) {
            assertThat(row.next()).isTrue();
            return Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS);
        }
    }
}
