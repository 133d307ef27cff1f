package dev.holdfast.lock.jdbc.row;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.Commands;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The attempts to execute a batch, whose transactions a test decides. */
@Tag("first-build")
@Timeout(300)
class BatchAttemptsTest {

    private static final LockReply DONE = new LockReply.Released(true);

    private final List<LockCommand> batch =
            List.of(Commands.release("a", Commands.id()), Commands.release("b", Commands.id()));
    private final Deadline deadline = Deadline.in(Duration.ofMinutes(1));
    private Connections connections;

    @BeforeEach
    void open() throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        source.setUrl(H2Database.inMemory().url());
        connections = new PooledConnections(source, ErrorClasses::byState, 1, null, deadline);
    }

    @AfterEach
    void close() {
        connections.close();
    }

    /** It would send attempts without a pause, as fast as the database answers. */
    @Test
    void attempts_ofAnInterruptedCaller_pauseAndLeaveItInterrupted() throws SQLException {
        List<Long> begun = new ArrayList<>();
        BatchAttempts.Attempt attempt = (commands, mayCreate) -> connection -> {
            begun.add(System.nanoTime());
            Thread.currentThread().interrupt();
            return begun.size() < 6 ? Arrays.asList(null, null) : List.of(DONE, DONE);
        };
        List<LockReply> replies = new BatchAttempts(connections, attempt, batch, deadline).execute();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(replies).containsOnly(DONE);
        assertThat(begun.get(5) - begun.get(0))
                .as("pauses of 2, 4, 8, 16 and 32 ms")
                .isGreaterThanOrEqualTo(Duration.ofMillis(62).toNanos());
    }

    /** The caller would ask for it again, or give up a lock that is granted. */
    @Test
    void replyOfACommittedAttempt_whenALaterOneFailsUnexpectedly_isKept() throws SQLException {
        IllegalStateException failure = new IllegalStateException("for a test");
        BatchAttempts.Attempt attempt = (commands, mayCreate) -> connection -> {
            if (commands.size() == 1) {
                throw failure;
            }
            return Arrays.asList(DONE, null);
        };
        List<LockReply> replies = new BatchAttempts(connections, attempt, batch, deadline).execute();
        assertThat(replies).containsExactly(DONE, new LockReply.Unavailable(failure));
    }
}
