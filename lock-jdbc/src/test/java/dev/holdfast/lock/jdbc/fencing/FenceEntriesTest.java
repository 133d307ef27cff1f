package dev.holdfast.lock.jdbc.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.fencing.StaleLeaseException;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What an entry does to transactions under other locks, and to the later statements of its own: nothing. The transactions of one
 * thread cannot wait for each other, so that a wait ends as a lock timeout of the database or as that of the test.
 */
@Tag("second-build")
@Timeout(300)
@Order(1)
class FenceEntriesTest {

    private static final String EACH = "dev.holdfast.lock.jdbc.fencing.FencedDatabase#atEachIsolation";
    private static final String CONCURRENT = "dev.holdfast.lock.jdbc.fencing.FencedDatabase#concurrentAtEachIsolation";
    private static final String INDEPENDENT =
            "dev.holdfast.lock.jdbc.fencing.FencedDatabase#independentAtEachIsolation";
    private static final String CONTENDED =
            "dev.holdfast.lock.jdbc.fencing.FencedDatabase#contendedAtOnceAtEachIsolation";
    private static final int ROUNDS = 20;

    private final Fence fence = Fence.create();

    @TempDir
    Path directory;

    @ParameterizedTest(allowZeroInvocations = true) // where only one database is tested
    @MethodSource(INDEPENDENT)
    void entries_underOtherLocks_goOnWhileATransactionIsOpen(FencedDatabase database, int isolation) throws Exception {
        String url = database.newBank(directory, fence);
        // The second namespace has no floor yet, as createTable was called for the first.
        for (Fence each : List.of(fence, fence.withNamespace("elsewhere"))) {
            try (Connection one = database.connect(url, isolation);
                    Connection other = database.connect(url, isolation)) {
                each.enter(one, "f", 256);
                each.enter(one, "p", 256);
                one.commit();

                each.enter(one, "m", 256);
                each.enter(one, "f", 512);
                for (String name : List.of("a", "l", "n", "z", "p", "e", "g")) {
                    each.enter(other, name, 512);
                }
                each.enter(one, "o", 256);
                each.enter(one, "h", 256);
                other.commit();
                one.commit();
            }
        }
    }

    @ParameterizedTest(allowZeroInvocations = true) // where only one database is tested
    @MethodSource(CONTENDED)
    void transactions_thatEnterTheSameLocksInOneOrder_neverDeadlock(FencedDatabase database, int isolation)
            throws Exception {
        String url = database.newBank(directory, fence);
        try (Connection one = database.connect(url, isolation);
                Connection other = database.connect(url, isolation)) {
            for (int round = 0; round < ROUNDS; round++) {
                CyclicBarrier together = new CyclicBarrier(2);
                List<Future<?>> both = List.of(
                        entering(database, one, round, 256, together), entering(database, other, round, 257, together));
                for (Future<?> each : both) {
                    Await.result(each);
                }
            }
        }
    }

    private Future<?> entering(
            FencedDatabase database, Connection connection, int round, long token, CyclicBarrier together) {
        return Background.start("entering-" + token, () -> {
            together.await();
            enterInOrder(database, connection, round, token);
            return null;
        });
    }

    /** The names are new in each round; only a snapshot that is too old, or the other's greater token, refuses an entry. */
    private void enterInOrder(FencedDatabase database, Connection connection, int round, long token)
            throws SQLException {
        while (true) {
            try {
                fence.enter(connection, "one-" + round, token);
                fence.enter(connection, "two-" + round, token);
                connection.commit();
                return;
            } catch (StaleLeaseException e) {
                connection.rollback();
                return;
            } catch (SQLException e) {
                connection.rollback();
                if (!database.isOldSnapshot(e, connection.getTransactionIsolation())) {
                    throw e;
                }
            }
        }
    }

    @ParameterizedTest(allowZeroInvocations = true) // where only one database is tested
    @MethodSource(CONCURRENT)
    void secondEntry_thatWaitedForAnEarlierHolder_readsWhatThatWrote(FencedDatabase database, int isolation)
            throws Exception {
        String url = database.newBank(directory, fence);
        try (Connection earlier = database.connect(url, isolation);
                Connection later = database.connect(url, isolation);
                Statement writing = earlier.createStatement()) {
            fence.enter(earlier, "second", 256);
            fence.enter(later, "first", 512);
            FutureTask<Integer> reading = Background.start("later-holder", () -> {
                while (true) {
                    try {
                        fence.enter(later, "second", 512);
                        int balance = FencedDatabase.number(later, "SELECT balance FROM account");
                        later.commit();
                        return balance;
                    } catch (SQLException e) {
                        later.rollback(); // a serialization failure: it repeats its transaction
                        fence.enter(later, "first", 512);
                    }
                }
            });
            database.awaitWaiting(url, reading);
            writing.executeUpdate("UPDATE account SET balance = 90");
            earlier.commit();

            assertThat(Await.result(reading)).isEqualTo(90);
        }
    }

    @ParameterizedTest
    @MethodSource(EACH)
    void refusedEntry_thatIsCommittedAllTheSame_leavesNothing(FencedDatabase database, int isolation) throws Exception {
        String url = database.newBank(directory, fence);
        try (Connection connection = database.connect(url, isolation);
                Statement statement = connection.createStatement()) {
            fence.enter(connection, "one", 512);
            statement.executeUpdate("UPDATE holdfast_fence_floor SET token = 768");
            connection.commit();

            assertThatThrownBy(() -> fence.enter(connection, "one", 511)).isInstanceOf(StaleLeaseException.class);
            assertThatThrownBy(() -> fence.enter(connection, "new", 767))
                    .isInstanceOf(StaleLeaseException.class)
                    .hasMessageContaining("tokens up to 768 were pruned");
            connection.commit();

            assertThat(FencedDatabase.number(connection, "SELECT count(*) FROM holdfast_fence"))
                    .isEqualTo(1);
            assertThat(FencedDatabase.number(connection, "SELECT entries FROM holdfast_fence"))
                    .isEqualTo(1);
            connection.rollback();
            fence.enter(connection, "new", 768);
            connection.commit();
        }
    }

    /** An operator who has moved to another store sets it once, and not once for each lock. */
    @ParameterizedTest
    @MethodSource(EACH)
    void staleLease_ofALock_namesTheGreatestTokenOfAll(FencedDatabase database, int isolation) throws Exception {
        String url = database.newBank(directory, fence);
        try (Connection connection = database.connect(url, isolation)) {
            fence.enter(connection, "one", 512);
            fence.enter(connection, "other", 5 * 256);
            fence.withNamespace("elsewhere").enter(connection, "one", 9 * 256);
            connection.commit();
            boolean isLocking = database.isMariaDbOrMySql() && isolation == Connection.TRANSACTION_SERIALIZABLE;

            assertThatThrownBy(() -> fence.enter(connection, "one", 256))
                    .isInstanceOf(StaleLeaseException.class)
                    .hasMessageContaining("with token 512")
                    .hasMessageContaining(isLocking ? "lock.token-floor=2 or higher" : "lock.token-floor=5, ");
            connection.rollback();
        }
    }
}
