package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lock is lost while the command runs: the command ends, with its family, and the status is 76. */
class LostIT extends SqliteRuns {

    /** A renewal that is late by so much is in time, with a lease of 6 s. */
    private static final Duration TO_BE_TAKEN = Duration.ofSeconds(2);

    /** Half of the time between TERM and KILL after a loss. */
    private static final Duration TO_BE_ASKED = Duration.ofMillis(100);

    /** Half of what is left of the lease at KILL. */
    private static final Duration TO_BE_GONE_IN_TIME = Duration.ofMillis(500);

    private Marks marks;

    @BeforeEach
    void family() throws Exception {
        marks = new Marks(folder);
    }

    /** A failed test has not proved that nobody is left. */
    @AfterEach
    void endWhoIsLeft() throws Exception {
        marks.kill();
    }

    @Override
    void anew() throws Exception {
        endWhoIsLeft();
        super.anew();
        family();
    }

    @Test
    void takenAwayByForce() throws Exception {
        attempts(TO_BE_TAKEN, () -> {
            Launched run = start(marks.by(run("--lease", "6s", "a")));
            marks.awaitWholeFamily(run);

            takeAway();

            assertThat(run.status()).as(run.err()).isEqualTo(76);
            assertThat(marks.alive()).isEmpty();
            assertSaid(run);
        });
    }

    @Test
    void takenAwayByForceTheCommandIsAskedFirst() throws Exception {
        attempts(TO_BE_ASKED, () -> {
            Launched run = start(marks.by(run("--lease", "6s", "a")));
            marks.awaitWholeFamily(run);

            takeAway();

            assertThat(run.status()).as(run.err()).isEqualTo(76);
            assertThat(marks.by("bye")).as("TERM came before KILL").isTrue();
        });
    }

    @Test
    void whoClearedItsEnvironmentIsNotForgottenWhenItsParentEnds() throws Exception {
        attempts(TO_BE_TAKEN, () -> {
            Launched run = start(marks.byCleared(run("--lease", "6s", "a")));
            run.await("a mark", () -> marks.by("cleared"));

            takeAway();

            assertThat(run.status()).as(run.err()).isEqualTo(76);
            assertThat(marks.alive()).isEmpty();
        });
    }

    private void takeAway() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("DELETE FROM holdfast_lock WHERE name = 'a'"))
                    .isOne();
        }
    }

    @Test
    void theStoreStopsAnsweringAndTheFamilyIsGoneBeforeTheLeaseCanEnd() throws Exception {
        attempts(TO_BE_GONE_IN_TIME, this::theStoreStopsAnswering);
    }

    private void theStoreStopsAnswering() throws Exception {
        Launched run = start(marks.by(run("--lease", "6s", "a")));
        marks.awaitWholeFamily(run);

        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 10000");
            statement.execute("BEGIN EXCLUSIVE");
            Instant until = until(statement);

            assertThat(run.status()).as(run.err()).isEqualTo(76);
            assertThat(marks.alive()).isEmpty();
            assertThat(Files.getLastModifiedTime(marks.file()).toInstant())
                    .as("the last sign of life")
                    .isBefore(until);
            statement.execute("ROLLBACK");
        }
        assertThat(marks.by("bye")).as("TERM came before KILL").isTrue();
        assertSaid(run);
    }

    /** One line of ours; the command's shells may add that a child of theirs was ended. */
    private static void assertSaid(Launched run) throws InterruptedException {
        assertThat(run.err().lines().filter(line -> !line.equals("Terminated") && !line.equals("Killed")))
                .singleElement()
                .asString()
                .startsWith("lock: lost 'a': ");
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
