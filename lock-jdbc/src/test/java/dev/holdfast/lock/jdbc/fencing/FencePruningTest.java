package dev.holdfast.lock.jdbc.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.fencing.StaleLeaseException;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A row that is pruned lets no older token in. */
@Tag("second-build")
@Timeout(300)
class FencePruningTest {

    private static final Duration IDLE = Duration.ofMillis(1);
    private static final int MANY = 450;
    /** The first fencing token of an instant in 2020, as a store takes it from its clock. */
    private static final long TIME = 256L * 1_600_000_000_000_000L;

    private final Fence fence = Fence.create();

    @TempDir
    Path directory;

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void prune_whenRowsAreIdle_keepsTheirGreatestTokenAsFloor(FencedDatabase database) throws Exception {
        String url = newFence(database);
        enter(database, url, fence, "one", TIME + 768);
        enter(database, url, fence, "other", TIME + 512);
        Fence elsewhere = fence.withNamespace("elsewhere");
        enter(database, url, elsewhere, "one", TIME);

        prune(database, url, 2);

        assertThatThrownBy(() -> enter(database, url, fence, "one", TIME + 767))
                .isInstanceOf(StaleLeaseException.class)
                .hasMessageContaining("tokens up to " + (TIME + 768) + " were pruned")
                .hasMessageContaining("lock.token-floor=1600000000000003");
        enter(database, url, fence, "one", TIME + 768);
        enter(database, url, fence, "new", TIME + 769);
        enter(database, url, elsewhere, "one", TIME);
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void prune_whenLaterRowsHaveSmallerTokens_keepsTheFloor(FencedDatabase database) throws Exception {
        String url = newFence(database);
        enter(database, url, fence, "one", TIME + 768);
        enter(database, url, fence, "other", TIME + 512);
        String age = database == FencedDatabase.SQLITE ? "7200000" : "INTERVAL '2' HOUR";
        try (Connection connection = database.connect(url);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE holdfast_fence_floor SET created_at = created_at - " + age);
        }
        for (long token : List.of(TIME + 768, TIME + 512)) {
            try (Connection connection = database.connect(url);
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate(
                        "UPDATE holdfast_fence SET entered_at = entered_at - " + age + " WHERE token = " + token);
                assertThat(fence.prune(connection, Duration.ofHours(1))).isEqualTo(1);
            }
        }
        assertThatThrownBy(() -> enter(database, url, fence, "one", TIME + 767))
                .isInstanceOf(StaleLeaseException.class)
                .hasMessageContaining("tokens up to " + (TIME + 768) + " were pruned");
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void prune_whenManyRowsAreIdle_removesAllOfThem(FencedDatabase database) throws Exception {
        String url = newFence(database);
        try (Connection connection = database.connect(url)) {
            connection.setAutoCommit(false);
            for (int i = 1; i <= MANY; i++) {
                fence.enter(connection, "name-" + i, TIME + i);
            }
            connection.commit();
        }

        prune(database, url, MANY);

        assertThat(rows(database, url)).isZero();
        assertThatThrownBy(() -> enter(database, url, fence, "any", TIME + MANY - 1))
                .isInstanceOf(StaleLeaseException.class);
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void prune_whenRowsAreInUseOrRecent_leavesThem(FencedDatabase database) throws Exception {
        String url = newFence(database);
        enter(database, url, fence, "recent", TIME + 512);
        try (Connection connection = database.connect(url)) {
            assertThat(fence.prune(connection, Duration.ofHours(1))).isZero();
        }
        if (database != FencedDatabase.SQLITE) { // where a transaction that has entered excludes all others
            try (Connection holder = database.connect(url);
                    Connection other = database.connect(url)) {
                holder.setAutoCommit(false);
                fence.enter(holder, "recent", TIME + 513);
                assertThat(fence.prune(other, IDLE)).isZero();
                holder.commit();
            }
        }
        assertThatThrownBy(() -> enter(database, url, fence, "recent", TIME + 511))
                .isInstanceOf(StaleLeaseException.class);
    }

    /** As of a store that counts from 1 for each name, and as of one whose clock was ahead or whose floor was set so high. */
    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void prune_whenTokensAreNoTimesOrAhead_leavesThemAndTheFloor(FencedDatabase database) throws Exception {
        String url = newFence(database);
        long ahead = 2 * TIME;
        enter(database, url, fence, "count", 1_000_000);
        enter(database, url, fence, "ahead", ahead);
        enter(database, url, fence, "time", TIME);

        prune(database, url, 1);

        assertThatThrownBy(() -> enter(database, url, fence, "count", 999_999)).isInstanceOf(StaleLeaseException.class);
        assertThatThrownBy(() -> enter(database, url, fence, "ahead", ahead - 1))
                .isInstanceOf(StaleLeaseException.class);
        assertThatThrownBy(() -> enter(database, url, fence, "time", TIME - 1)).isInstanceOf(StaleLeaseException.class);
        enter(database, url, fence, "new", TIME + 1);
    }

    @ParameterizedTest(allowZeroInvocations = true) // where only one database is tested
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#independentAtEachIsolation")
    void prune_besideATransactionThatHasEntered_removesOtherRows(FencedDatabase database, int isolation)
            throws Exception {
        String url = newFence(database);
        enter(database, url, fence, "held", TIME);
        enter(database, url, fence, "idle", TIME);
        enter(database, url, fence, "other", TIME);
        try (Connection holder = database.connect(url, isolation);
                Connection next = database.connect(url, isolation)) {
            fence.enter(holder, "held", TIME + 1);
            fence.enter(next, "other", TIME + 1);
            prune(database, url, 1);
            next.commit(); // otherwise its snapshot may be too old for a first entry
            fence.enter(next, "another", TIME + 1);
            fence.enter(next, "idle", TIME + 1);
            prune(database, url, database.sharesTheFloor(isolation) ? 0 : 1); // that of "other"
            next.commit();
            holder.commit();
        }
        prune(database, url, database.sharesTheFloor(isolation) ? 4 : 3);
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#atEachIsolation")
    void olderHolder_whoseSnapshotIsOlderThanThePruning_isRefused(FencedDatabase database, int isolation)
            throws Exception {
        String url = newFence(database);
        enter(database, url, fence, "known", TIME);
        try (Connection older = database.connect(url, isolation)) {
            for (String name : List.of("known", "new")) {
                read(older);
                enter(database, url, fence, name, TIME + 512);
                awaitIdle();
                try (Connection pruning = database.connect(url)) {
                    assertThat(fence.prune(pruning, IDLE)).isEqualTo(1);
                }
                assertThatThrownBy(() -> fence.enter(older, name, TIME + 511))
                        .as(name)
                        .isInstanceOfAny(StaleLeaseException.class, SQLException.class);
                older.rollback();
                assertThatThrownBy(() -> fence.enter(older, name, TIME + 511)).isInstanceOf(StaleLeaseException.class);
                older.rollback();
            }
        }
    }

    /** A transaction that began before the floor was made does not see it, and is over when rows are removed. */
    @Test
    void prune_whileTheFloorIsYoungerThanTheIdleTime_removesNothing() throws Exception {
        FencedDatabase database = FencedDatabase.POSTGRESQL;
        String url = newFence(database);
        Fence elsewhere = fence.withNamespace("elsewhere");
        enter(database, url, elsewhere, "one", TIME);
        try (Connection connection = database.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE holdfast_fence SET entered_at = entered_at - interval '1 day'");
            assertThat(elsewhere.prune(connection, Duration.ofHours(1))).isZero();
            assertThat(elsewhere.prune(connection, Duration.ofHours(1))).isZero();

            statement.execute("UPDATE holdfast_fence_floor SET created_at = created_at - interval '1 day'");
            assertThat(elsewhere.prune(connection, Duration.ofHours(1))).isEqualTo(1);
        }
    }

    @Test
    void prune_whenTheNamespaceHasNoFloor_createsItAndRemovesNothingYet() throws Exception {
        for (FencedDatabase database : FencedDatabase.values()) {
            String url = newFence(database);
            Fence elsewhere = fence.withNamespace("elsewhere");
            enter(database, url, elsewhere, "one", TIME);
            awaitIdle();
            try (Connection connection = database.connect(url)) {
                assertThat(elsewhere.prune(connection, IDLE)).isZero();
                awaitIdle();
                assertThat(elsewhere.prune(connection, IDLE)).isEqualTo(1);
            }
        }
    }

    @Test
    void prune_inATransaction_isRefused() throws Exception {
        try (Connection connection = FencedDatabase.H2.connect(newFence(FencedDatabase.H2))) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> fence.prune(connection, IDLE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("auto-commit");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#each")
    void prune_onAConnectionOfAnyIsolation_restoresIt(FencedDatabase database) throws Exception {
        String url = newFence(database);
        try (Connection connection = database.connect(url)) {
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            fence.prune(connection, IDLE);
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    @Test
    void prune_withoutAnIdleTime_isRefused() throws Exception {
        try (Connection connection = FencedDatabase.H2.connect(newFence(FencedDatabase.H2))) {
            assertThatThrownBy(() -> fence.prune(connection, Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("PT0S");
        }
    }

    private String newFence(FencedDatabase database) throws SQLException {
        String url = database.newUrl(directory);
        try (Connection connection = database.connect(url);
                Statement statement = connection.createStatement()) {
            fence.createTable(connection);
            statement.execute("CREATE TABLE account (id INTEGER PRIMARY KEY)");
        }
        return url;
    }

    private static void enter(FencedDatabase database, String url, Fence fence, String name, long token)
            throws SQLException {
        try (Connection connection = database.connect(url)) {
            connection.setAutoCommit(false);
            try {
                fence.enter(connection, name, token);
                connection.commit();
            } finally {
                connection.rollback();
            }
        }
    }

    private void prune(FencedDatabase database, String url, int rows) throws SQLException {
        awaitIdle();
        try (Connection connection = database.connect(url)) {
            assertThat(fence.prune(connection, IDLE)).isEqualTo(rows);
        }
    }

    /** The clocks of the databases count milliseconds at least. */
    private static void awaitIdle() {
        long since = System.nanoTime();
        Await.until("the rows are idle", () -> System.nanoTime() - since > 10_000_000);
    }

    private static int rows(FencedDatabase database, String url) throws SQLException {
        try (Connection connection = database.connect(url)) {
            return rows(connection);
        }
    }

    /** Makes the snapshot of a transaction that has one. */
    private static void read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT id FROM account").close();
        }
    }

    private static int rows(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM holdfast_fence")) {
            row.next();
            return row.getInt(1);
        }
    }
}
