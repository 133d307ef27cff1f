package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.InTime;
import dev.holdfast.lock.testing.OwnThread;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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

    /** It would wait while it has locked the rows of the others, and they would wait with it. */
    @Test
    void batch_whenAnotherTransactionHasLockedARow_commitsTheOthersMeanwhile() throws Exception {
        LockedRow.makeRows(store(), "free", "locked");
        try (LockedRow other = new LockedRow(database(), "locked")) {
            List<LockCommand> batch = List.of(acquire("locked", id()), acquire("free", id()));
            CompletableFuture<List<LockReply>> replies =
                    CompletableFuture.supplyAsync(() -> store().execute(batch, Commands.CALL), OwnThread.EACH);
            Await.until(
                    "the other lock is granted",
                    () -> database()
                                    .number("SELECT count(*) FROM holdfast_lock WHERE state = 'held' AND name = "
                                            + RowDatabase.literal("free"))
                            == 1);
            other.commit();
            assertThat(replies.get()).allMatch(LockReply.Granted.class::isInstance);
        }
    }

    /** Of a hundred leases of a process one is blocked by a stopped client: the others must not be unconfirmed for that. */
    @Test
    void renewals_whenOneRowStaysLocked_areGrantedButForThatOne() throws Exception {
        List<LockCommand> acquires = new ArrayList<>();
        List<LockCommand> renewals = new ArrayList<>();
        for (int each = 0; each < 98; each++) {
            AcquisitionId id = id();
            acquires.add(acquire("lease " + each, id));
            renewals.add(renew("lease " + each, id, Commands.LEASE));
        }
        assertThat(store().execute(acquires, Commands.CALL)).allMatch(LockReply.Granted.class::isInstance);
        try (LockedRow other = new LockedRow(database(), "lease 42")) {
            assertThat(other).isNotNull();
            Duration call = Duration.ofSeconds(15);
            InTime.check(call, () -> {
                List<LockReply> replies = new ArrayList<>(store().execute(renewals, call));
                assertThat(replies.remove(42)).isInstanceOf(LockReply.Unavailable.class);
                assertThat(replies).allMatch(LockReply.Granted.class::isInstance);
                return null;
            });
        }
    }

    /** It would wait while it has locked other rows, for which commands wait. */
    @Test
    void pruning_whenARowIsLocked_removesTheOthersAndDoesNotWait() throws Exception {
        try (LockedRow other = lockIdle("locked", "idle")) {
            pruneUntil("the other is gone", () -> rows("holdfast_lock") == 1);
            other.commit();
        }
        pruneUntil("both are gone", () -> rows("holdfast_lock") == 0);
    }

    /** Makes two rows that are idle, and locks the first, unless a round that follows a release is faster. */
    private LockedRow lockIdle(String first, String second) throws SQLException {
        while (true) {
            LockedRow.makeRows(store(), first, second);
            age();
            LockedRow locked = new LockedRow(database(), first);
            if (rows("holdfast_lock WHERE name = " + literal(first)) == 1) {
                return locked;
            }
            locked.close();
        }
    }

    /** The row of a lock that is waited for stays: its queue would be left without a lock. */
    @Test
    void pruning_whenAWaiterComesMeanwhile_leavesTheRow() throws Exception {
        try (LockedRow other = lockIdle("raced", "other")) {
            other.execute(insertWaiter());
            pruneUntil("a round has passed by the locked row", () -> rows("holdfast_lock") == 1);
            other.commit();
        }
        LockedRow.makeRows(store(), "other");
        age();
        pruneUntil("a round has passed by the row with the waiter", () -> rows("holdfast_lock") == 1);
        assertThat(rows("holdfast_waiter")).isEqualTo(1);
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
}
