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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two holders under one name, as after a loss that the first did not notice, on each database at each isolation level. */
@Tag("second-build")
@Timeout(300)
@Order(1)
class FenceOrderTest {

    private static final String EACH = "dev.holdfast.lock.jdbc.fencing.FencedDatabase#atEachIsolation";
    private static final String NAME = "account";
    private static final long EARLIER = 256;
    private static final long LATER = 512;

    private final Fence fence = Fence.create();

    @TempDir
    Path directory;

    @ParameterizedTest
    @MethodSource(EACH)
    void laterHolder_whileEarlierIsInItsFirstTransaction_readsWhatThatWrote(FencedDatabase database, int isolation)
            throws Exception {
        String url = database.newBank(directory, fence);
        assertThat(balanceAfterBoth(database, url, isolation, true)).isEqualTo(70);
    }

    @ParameterizedTest
    @MethodSource(EACH)
    void laterHolder_whileEarlierIsInALaterTransaction_readsWhatThatWrote(FencedDatabase database, int isolation)
            throws Exception {
        String url = database.newBank(directory, fence);
        withdraw(database, url, isolation, EARLIER, 0);
        assertThat(balanceAfterBoth(database, url, isolation, true)).isEqualTo(70);
    }

    @ParameterizedTest
    @MethodSource(EACH)
    void laterHolder_whenEarlierRollsBack_goesOn(FencedDatabase database, int isolation) throws Exception {
        String url = database.newBank(directory, fence);
        assertThat(balanceAfterBoth(database, url, isolation, false)).isEqualTo(80);
        withdraw(database, url, isolation, LATER, 0);
        assertThat(balanceAfterBoth(database, url, isolation, LATER, LATER + 1, false))
                .isEqualTo(60);
    }

    @ParameterizedTest
    @MethodSource(EACH)
    void sameLease_inTwoTransactionsAtOnce_readsWhatTheFirstWrote(FencedDatabase database, int isolation)
            throws Exception {
        String url = database.newBank(directory, fence);
        withdraw(database, url, isolation, LATER, 0);
        assertThat(balanceAfterBoth(database, url, isolation, LATER, LATER, true))
                .isEqualTo(70);
    }

    @ParameterizedTest
    @MethodSource(EACH)
    void earlierHolder_afterLaterHasEntered_isRefused(FencedDatabase database, int isolation) throws Exception {
        String url = database.newBank(directory, fence);
        withdraw(database, url, isolation, LATER, 10);
        try (Connection connection = database.connect(url, isolation)) {
            assertThatThrownBy(() -> fence.enter(connection, NAME, EARLIER))
                    .isInstanceOf(StaleLeaseException.class)
                    .hasMessageContaining("'account' with fencing token 256")
                    .hasMessageContaining("with token 512")
                    .hasMessageContaining("lock.token-floor=2");
            connection.rollback();
            fence.enter(connection, NAME, LATER);
            fence.enter(connection, NAME, LATER);
            connection.commit();
        }
    }

    @ParameterizedTest
    @MethodSource(EACH)
    void earlierHolder_whileLaterIsInItsTransaction_isRefusedAfterwards(FencedDatabase database, int isolation)
            throws Exception {
        String url = database.newBank(directory, fence);
        try (Connection later = database.connect(url, isolation);
                Connection earlier = database.connect(url, isolation)) {
            fence.enter(later, NAME, LATER);
            Future<?> entering = Background.start("other-holder", () -> {
                while (true) {
                    try {
                        fence.enter(earlier, NAME, EARLIER);
                        return null;
                    } catch (SQLException e) {
                        earlier.rollback(); // a serialization failure: it repeats its transaction
                    }
                }
            });
            database.awaitWaiting(url, entering);
            later.commit();
            assertThatThrownBy(() -> Await.result(entering)).hasCauseInstanceOf(StaleLeaseException.class);
            earlier.rollback();
        }
    }

    private int balanceAfterBoth(FencedDatabase database, String url, int isolation, boolean commits) throws Exception {
        return balanceAfterBoth(database, url, isolation, EARLIER, LATER, commits);
    }

    /** The first withdraws 10, and commits or rolls back while the second, which withdraws 20, waits. */
    private int balanceAfterBoth(
            FencedDatabase database, String url, int isolation, long first, long second, boolean commits)
            throws Exception {
        try (Connection connection = database.connect(url, isolation)) {
            fence.enter(connection, NAME, first);
            int balance = balance(connection);
            CountDownLatch started = new CountDownLatch(1);
            Future<?> other = Background.start("other-holder", () -> {
                started.countDown();
                withdraw(database, url, isolation, second, 20);
                return null;
            });
            Await.opened(started);
            database.awaitWaiting(url, other);
            assertThat(other).isNotDone();
            write(connection, balance - 10);
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            Await.result(other);
        }
        try (Connection connection = database.connect(url)) {
            return balance(connection);
        }
    }

    /** Withdraws in a transaction, which is repeated while the database refuses it. */
    private void withdraw(FencedDatabase database, String url, int isolation, long token, int amount)
            throws SQLException {
        try (Connection connection = database.connect(url, isolation)) {
            while (true) {
                try {
                    fence.enter(connection, NAME, token);
                    write(connection, balance(connection) - amount);
                    connection.commit();
                    return;
                } catch (SQLException e) {
                    connection.rollback();
                }
            }
        }
    }

    private static int balance(Connection connection) throws SQLException {
        return FencedDatabase.number(connection, "SELECT balance FROM account WHERE id = 1");
    }

    private static void write(Connection connection, int balance) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE account SET balance = " + balance + " WHERE id = 1");
        }
    }
}
