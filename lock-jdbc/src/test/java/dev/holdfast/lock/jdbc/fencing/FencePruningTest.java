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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A row that is pruned lets no older token in. */
@Timeout(300)
class FencePruningTest {

    private static final Duration IDLE = Duration.ofMillis(1);
    private static final int MANY = 450;

    private final Fence fence = Fence.create();

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource
    void prune_whenRowsAreIdle_keepsTheirGreatestTokenAsFloor(FencedDatabase database) throws Exception {
        String url = newFence(database);
        enter(database, url, fence, "one", 768);
        enter(database, url, fence, "other", 512);
        Fence elsewhere = fence.withNamespace("elsewhere");
        enter(database, url, elsewhere, "one", 1);

        prune(database, url, 2);

        assertThatThrownBy(() -> enter(database, url, fence, "one", 767))
                .isInstanceOf(StaleLeaseException.class)
                .hasMessageContaining("tokens up to 768 were pruned")
                .hasMessageContaining("lock.token-floor=3");
        enter(database, url, fence, "one", 768);
        enter(database, url, fence, "new", 769);
        enter(database, url, elsewhere, "one", 1);
    }

    @ParameterizedTest
    @EnumSource
    void prune_whenLaterRowsHaveSmallerTokens_keepsTheFloor(FencedDatabase database) throws Exception {
        String url = newFence(database);
        enter(database, url, fence, "one", 768);
        enter(database, url, fence, "other", 512);
        for (int token : List.of(768, 512)) {
            try (Connection connection = database.connect(url);
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE holdfast_fence SET entered_at = entered_at - "
                        + (database == FencedDatabase.SQLITE ? "7200000" : "INTERVAL '2' HOUR")
                        + " WHERE token = " + token);
                assertThat(fence.prune(connection, Duration.ofHours(1))).isEqualTo(1);
            }
        }
        assertThatThrownBy(() -> enter(database, url, fence, "one", 767))
                .isInstanceOf(StaleLeaseException.class)
                .hasMessageContaining("tokens up to 768 were pruned");
    }

    @ParameterizedTest
    @EnumSource
    void prune_whenManyRowsAreIdle_removesAllOfThem(FencedDatabase database) throws Exception {
        String url = newFence(database);
        try (Connection connection = database.connect(url)) {
            connection.setAutoCommit(false);
            for (int i = 1; i <= MANY; i++) {
                fence.enter(connection, "name-" + i, i);
            }
            connection.commit();
        }

        prune(database, url, MANY);

        assertThat(rows(database, url)).isEqualTo(1);
        assertThatThrownBy(() -> enter(database, url, fence, "any", MANY - 1)).isInstanceOf(StaleLeaseException.class);
    }

    @ParameterizedTest
    @EnumSource
    void prune_whenRowsAreInUseOrRecent_leavesThem(FencedDatabase database) throws Exception {
        String url = newFence(database);
        enter(database, url, fence, "recent", 512);
        try (Connection connection = database.connect(url)) {
            assertThat(fence.prune(connection, Duration.ofHours(1))).isZero();
        }
        if (database != FencedDatabase.SQLITE) { // where a transaction that has entered excludes all others
            try (Connection holder = database.connect(url);
                    Connection other = database.connect(url)) {
                holder.setAutoCommit(false);
                fence.enter(holder, "recent", 513);
                assertThat(fence.prune(other, IDLE)).isZero();
                holder.commit();
            }
        }
        assertThatThrownBy(() -> enter(database, url, fence, "recent", 511)).isInstanceOf(StaleLeaseException.class);
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#atEachIsolation")
    void olderHolder_whileItsRowIsPruned_isRefusedAfterwards(FencedDatabase database, int isolation) throws Exception {
        String url = newFence(database);
        enter(database, url, fence, "pruned", 512);
        try (Connection pruning = database.connect(url);
                Connection older = database.connect(url, isolation)) {
            awaitIdle();
            pruning.setAutoCommit(false);
            assertThat(fence.prune(pruning, IDLE)).isEqualTo(1);
            CompletableFuture<Boolean> refused = new CompletableFuture<>();
            FutureTask<?> entering = new FutureTask<>(() -> {
                while (true) {
                    try {
                        fence.enter(older, "pruned", 511);
                        return null;
                    } catch (SQLException e) {
                        older.rollback(); // a serialization failure: it repeats its transaction
                        refused.complete(true); // H2 may refuse at once, and never wait
                    }
                }
            });
            Thread thread = new Thread(entering, "older-holder");
            thread.setDaemon(true);
            thread.start();
            database.awaitWaiting(url, () -> entering.isDone() || refused.isDone());
            pruning.commit();
            assertThatThrownBy(() -> Await.result(entering)).hasCauseInstanceOf(StaleLeaseException.class);
            older.rollback();
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
        try (Connection connection = database.connect(url)) {
            fence.createTable(connection);
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
        try (Connection connection = database.connect(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM holdfast_fence")) {
            row.next();
            return row.getInt(1);
        }
    }
}
