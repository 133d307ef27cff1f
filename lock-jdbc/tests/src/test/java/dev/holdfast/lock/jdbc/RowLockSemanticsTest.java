package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** {@link RowStoreSemanticsTest} on a database whose transactions lock rows: what one sees when it has waited for a row. */
abstract class RowLockSemanticsTest extends RowStoreSemanticsTest {

    /** The reply to a command that waits for the row of "raced" while another transaction executes the statements. */
    private LockReply replyAfter(LockCommand command, String... meanwhile) throws Exception {
        LockedRow.makeRows(store(), "raced");
        try (LockedRow other = new LockedRow(database(), "raced")) {
            CompletableFuture<LockReply> reply =
                    CompletableFuture.supplyAsync(() -> ask(store(), command), OwnThread.EACH);
            database().awaitBlocked("raced", 1);
            for (String statement : meanwhile) {
                other.execute(statement);
            }
            other.commit();
            return reply.get();
        }
    }

    private static String literal(AcquisitionId id) {
        byte[] bytes =
                ByteBuffer.allocate(16).putLong(id.high()).putLong(id.low()).array();
        return "X'" + HexFormat.of().formatHex(bytes) + "'";
    }

    private static String insertWaiter() {
        return "INSERT INTO holdfast_waiter (namespace, name, position, id, owner, seen_at) SELECT "
                + LockedRow.key("raced") + ", 1, " + literal(id()) + ", 'a test', micros FROM stepped_clock";
    }

    /** A decision about the row as it was before the other transaction would grant a held lock. */
    @Test
    void acquire_whenAnotherTransactionGrants_waitsForItAndIsRefused() throws Exception {
        String grant = "UPDATE holdfast_lock SET state = 'held', expires_at = expires_at + 3600000000, id = "
                + literal(id()) + ", token = token + 1 WHERE name = " + RowDatabase.literal("raced");
        assertThat(replyAfter(acquire("raced", id()), grant)).isInstanceOf(LockReply.Busy.class);
    }

    /** A snapshot from before the wait lacks the tombstone, and the lock would go to an id that was given up. */
    @Test
    void acquire_whenItsIdIsGivenUpMeanwhile_isGone() throws Exception {
        AcquisitionId id = id();
        String tombstone = "INSERT INTO holdfast_tombstone (namespace, name, id, expires_at) SELECT "
                + LockedRow.key("raced") + ", " + literal(id) + ", micros + 3600000000 FROM stepped_clock";
        assertThat(replyAfter(acquire("raced", id), tombstone)).isEqualTo(GONE);
    }

    /** For a clock that was read before the wait, the waiter would be one of the future, and lose its place. */
    @Test
    void acquire_whenAWaiterComesMeanwhile_leavesTheLockToIt() throws Exception {
        String step = "UPDATE stepped_clock SET micros = micros + 1000000";
        assertThat(replyAfter(acquire("raced", id()), step, insertWaiter())).isInstanceOf(LockReply.Busy.class);
    }

    /** Else a transaction that has waited for a row would decide by the time at which it began to wait. */
    @Test
    void clock_withinATransaction_goesOn() throws SQLException {
        String query = "SELECT " + dialect().clock();
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            long before = RowDatabase.number(statement, query);
            Instant began = Instant.now();
            Await.until("some time has passed", () -> Instant.now().isAfter(began.plusMillis(10)));
            assertThat(RowDatabase.number(statement, query)).isGreaterThan(before);
        }
    }

    /** In another order two batches would wait for each other. */
    @Test
    void batch_inWhateverOrderItIs_locksRowsInTheOrderOfTheirNames() throws Exception {
        LockedRow.makeRows(store(), "in order", "out of order");
        try (LockedRow other = new LockedRow(database(), "out of order")) {
            List<LockCommand> batch = List.of(acquire("out of order", id()), acquire("in order", id()));
            CompletableFuture<List<LockReply>> replies =
                    CompletableFuture.supplyAsync(() -> store().execute(batch, Commands.CALL), OwnThread.EACH);
            database().awaitBlocked("out of order", 1);
            assertThat(LockedRow.isLocked(database(), "in order")).isTrue();
            other.commit();
            assertThat(replies.get()).allMatch(LockReply.Granted.class::isInstance);
        }
    }

    /** In another order it and a batch would wait for each other. The second of the rows is found first, as it is idle for longer. */
    @Test
    void pruning_inWhateverOrderRowsAreFound_locksThemInTheOrderOfTheirNames() throws Exception {
        LockedRow.makeRows(store(), "out of order");
        pass(Duration.ofSeconds(1));
        LockedRow.makeRows(store(), "in order");
        try (LockedRow other = new LockedRow(database(), "out of order")) {
            assertThat(LockedRow.isLocked(database(), "in order")).isFalse();
            pass(Duration.ofMinutes(2));
            Await.until("the pruning has locked the first row, and waits for the second", () -> {
                ask(store(), release("anything", id())); // a round follows, unless one is under way
                return LockedRow.isLocked(database(), "in order");
            });
            other.commit();
        }
        pruneUntil("both are gone", () -> rows("holdfast_lock") == 0);
    }

    /** In a snapshot from before the wait the row is still idle, and the waiter would lose its place. */
    @Test
    void pruning_whenAWaiterComesMeanwhile_leavesTheRow() throws Exception {
        LockedRow.makeRows(store(), "raced");
        try (LockedRow other = new LockedRow(database(), "raced")) {
            pass(Duration.ofMinutes(2));
            Await.until("the pruning waits for the row", () -> {
                ask(store(), release("anything", id())); // a round follows, unless one is under way
                return database().blocked(database().countBlocked("raced")) == 1;
            });
            other.execute(insertWaiter());
            other.commit();
        }
        store().close(); // after the round
        assertThat(rows("holdfast_lock")).isEqualTo(1);
        assertThat(rows("holdfast_waiter")).isEqualTo(1);
    }
}
