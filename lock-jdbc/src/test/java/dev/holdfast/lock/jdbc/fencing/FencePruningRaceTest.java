package dev.holdfast.lock.jdbc.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.fencing.Fence;
import dev.holdfast.lock.fencing.StaleLeaseException;
import dev.holdfast.lock.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holders of a few names, stale ones among them, while their rows are pruned all the time. Each transaction that was admitted
 * records its token; the records of a name must be in the order of their tokens.
 */
@Tag("first-build")
@Timeout(300)
class FencePruningRaceTest {

    private static final Duration IDLE = Duration.ofMillis(1);
    /** The first fencing token of an instant in 2020, as a store takes it from its clock. */
    private static final long TIME = 256L * 1_600_000_000_000_000L;

    private static final int NAMES = 2;
    private static final int ROUNDS = 20 * Integer.getInteger("lock.test.scale", 1);

    private final Fence fence = Fence.create();
    private final AtomicInteger admitted = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    @TempDir
    Path directory;

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.jdbc.fencing.FencedDatabase#contendedAtEachIsolation")
    void staleHolders_whileTheirRowsArePruned_neverFollowALaterOne(FencedDatabase database, int isolation)
            throws Exception {
        String url = database.newUrl(directory);
        try (Connection connection = database.connect(url);
                Statement statement = connection.createStatement()) {
            fence.createTable(connection);
            statement.execute(
                    "CREATE TABLE entry (name INTEGER NOT NULL, place INTEGER NOT NULL, token BIGINT NOT NULL,"
                            + " PRIMARY KEY (name, place))");
        }
        CyclicBarrier round = new CyclicBarrier(NAMES * 2 + 1);
        List<FutureTask<?>> tasks = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            int name = i;
            // The token of the stale one lies between those of the later holder in the same round and in the one
            // before.
            tasks.add(Background.start("later-" + i, () -> enterAll(database, url, isolation, round, name, 0)));
            tasks.add(Background.start("stale-" + i, () -> enterAll(database, url, isolation, round, name, -100)));
        }
        int pruned = prune(database, url, round);
        for (FutureTask<?> each : tasks) {
            Await.result(each);
        }

        try (Connection connection = database.connect(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT name, token FROM entry ORDER BY name, place")) {
            List<List<Long>> tokens = new ArrayList<>();
            for (int i = 0; i < NAMES; i++) {
                tokens.add(new ArrayList<>());
            }
            while (row.next()) {
                tokens.get(row.getInt(1)).add(row.getLong(2));
            }
            assertThat(tokens).allSatisfy(each -> assertThat(each).isSorted());
        }
        assertThat(pruned).as("rows that were pruned").isPositive();
        assertThat(admitted.get()).as("transactions that were admitted").isGreaterThanOrEqualTo(NAMES * ROUNDS);
        assertThat(refused.get()).as("transactions that were refused").isPositive();
    }

    private Void enterAll(FencedDatabase database, String url, int isolation, CyclicBarrier round, int name, int offset)
            throws Exception {
        try (Connection connection = database.connect(url, isolation)) {
            for (int i = 1; i <= ROUNDS; i++) {
                round.await();
                // Twice: the second time its own row, or that of the other, may have been pruned.
                enter(connection, name, TIME + i * 256L + offset);
                enter(connection, name, TIME + i * 256L + offset);
            }
        }
        return null;
    }

    private void enter(Connection connection, int name, long token) throws SQLException {
        while (true) {
            try (Statement statement = connection.createStatement()) {
                fence.enter(connection, "name-" + name, token);
                statement.executeUpdate("INSERT INTO entry (name, place, token) SELECT " + name + ", count(*), " + token
                        + " FROM entry WHERE name = " + name);
                connection.commit();
                admitted.incrementAndGet();
                return;
            } catch (StaleLeaseException e) {
                connection.rollback();
                refused.incrementAndGet();
                return;
            } catch (SQLException e) {
                connection.rollback(); // a serialization failure: it repeats its transaction
            }
        }
    }

    /** Within each round as long as anything can be pruned. */
    private int prune(FencedDatabase database, String url, CyclicBarrier round) throws Exception {
        int pruned = 0;
        try (Connection connection = database.connect(url)) {
            for (int i = 1; i <= ROUNDS; i++) {
                round.await();
                for (int call = 0; call < 5; call++) {
                    pruned += fence.prune(connection, IDLE);
                }
            }
            while (pruned == 0) { // a machine that is slow enough
                pruned += fence.prune(connection, IDLE);
            }
        }
        return pruned;
    }
}
