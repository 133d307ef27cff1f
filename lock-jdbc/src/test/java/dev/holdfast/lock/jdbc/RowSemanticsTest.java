package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.acquireAbove;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Batches, names, and which rows are pruned. The same on each database. */
abstract class RowSemanticsTest extends SemanticsTest {

    /** Makes the next release prune. */
    abstract void letPrune() throws SQLException;

    @Test
    void batch_isRepliedToInItsOrderAndKeepsTheOrderPerName() {
        AcquisitionId first = id();
        AcquisitionId second = id();
        List<LockCommand> commands = List.of(
                acquire("z", first),
                acquire("a", first),
                acquire("z", second),
                release("z", first),
                acquire("z", second),
                renew("a", second, LEASE));
        List<LockReply> replies = store().execute(commands, Commands.CALL);
        assertThat(replies).hasSize(6);
        assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
        assertThat(replies.get(1)).isInstanceOf(LockReply.Granted.class);
        assertThat(replies.get(2)).isInstanceOf(LockReply.Busy.class);
        assertThat(replies.get(3)).isEqualTo(WAS_HELD);
        assertThat(replies.get(4)).isInstanceOf(LockReply.Granted.class);
        assertThat(replies.get(5)).isEqualTo(GONE);
    }

    @Test
    void batch_whenOneCommandFails_executesTheOthers() {
        List<LockCommand> commands = List.of(
                acquire("good", id()),
                acquireAbove("no token", id(), Long.MAX_VALUE),
                new LockCommand.Acquire(new LockName("odd owner"), id(), LEASE, false, 0, "nul \0 and lone \uD800"),
                acquire("for ever", id(), DurationLimits.MAX),
                acquire("good too", id()));
        List<LockReply> replies = store().execute(commands, Commands.CALL);
        assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
        assertThat(replies.get(1)).isInstanceOf(LockReply.Unavailable.class);
        assertThat(replies.get(2)).isInstanceOf(LockReply.Granted.class);
        assertThat(replies.get(3)).isInstanceOf(LockReply.Granted.class);
        assertThat(replies.get(4)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void names_areComparedExactly() {
        List<String> names = List.of(
                "name",
                "NAME",
                "name ",
                " name",
                "nam\u00e9",
                "name\u0301",
                "\uD83D\uDD12",
                "%",
                "n'ame",
                "name\n",
                "ß");
        for (String name : names) {
            granted(store(), acquire(name, id()));
        }
        for (String name : names) {
            assertThat(ask(store(), acquire(name, id()))).as(name).isInstanceOf(LockReply.Busy.class);
        }
    }

    @Test
    void tokens_afterIdleRowsWerePruned_stillRise() throws SQLException {
        AcquisitionId id = id();
        long token = granted(store(), acquireAbove("idle", id, 4_000_000_000_000_000L))
                .token();
        ask(store(), release("idle", id));
        pass(Duration.ofMinutes(2));
        AcquisitionId other = id();
        granted(store(), acquire("in use", other));
        ask(store(), release("in use", other));
        pruneUntil("the idle row is gone", () -> rows("holdfast_lock WHERE name = " + literal("idle")) == 0);
        assertThat(rows("holdfast_lock WHERE name = " + literal("in use"))).isEqualTo(1);
        assertThat(granted(store(), acquire("idle", id())).token()).isGreaterThan(token);
    }

    @Test
    void prune_keepsLeasesMinimumHoldsAndTombstones() throws SQLException {
        AcquisitionId kept = id();
        granted(store(), acquire("held on", id(), Duration.ofHours(1)));
        granted(store(), acquire("kept on", kept));
        ask(store(), release("kept on", kept, Duration.ofHours(1), Duration.ZERO));
        AcquisitionId doubtful = id();
        AcquisitionId forgotten = id();
        ask(store(), release("doubtful on", doubtful, Duration.ZERO, Duration.ofHours(1)));
        ask(store(), release("doubtful on", forgotten, Duration.ZERO, Duration.ofSeconds(1)));
        pass(Duration.ofMinutes(2));
        pruneUntil("what is forgotten is gone", () -> rows("holdfast_tombstone") <= 1);
        assertThat(ask(store(), acquire("held on", id()))).isInstanceOf(LockReply.Busy.class);
        assertThat(ask(store(), acquire("kept on", id()))).isInstanceOf(LockReply.Busy.class);
        assertThat(ask(store(), acquire("doubtful on", doubtful))).isEqualTo(GONE);
        assertThat(rows("holdfast_tombstone")).isEqualTo(1);
    }

    /** A release prunes if it has the time for it. */
    final void pruneUntil(String what, Callable<Boolean> pruned) {
        Await.until(what, () -> {
            letPrune();
            ask(store(), release("anything", id()));
            return pruned.call();
        });
    }

    final long rows(String of) throws SQLException {
        try (Connection connection = connection();
                Statement statement = connection.createStatement();
                var count = statement.executeQuery("SELECT count(*) FROM " + of)) {
            count.next();
            return count.getLong(1);
        }
    }
}
