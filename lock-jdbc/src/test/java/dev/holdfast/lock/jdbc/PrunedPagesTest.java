package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pages that PostgreSQL reads for pruning, and how processes share a round. */
@Tag("first-build")
class PrunedPagesTest {

    private static final int SCALE = Integer.getInteger("lock.test.scale", 1);
    private static final int MINUTE = 60_000_000;
    private static final Pattern BLOCKS = Pattern.compile("\"Shared (?:Hit|Read) Blocks\": (\\d+)");

    private final Postgres database = Postgres.withTables();

    /** What a round cost. */
    private record Cost(double perRow, long mostInACall) {}

    @Test
    void prune_costsTheSamePerRowAndCallInLargeTables() throws SQLException {
        makeTables();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            round(statement); // the session makes its plans
            Cost few = cost(statement, 2_500);
            Cost many = cost(statement, 25_000 * SCALE);
            assertThat(many.perRow).isLessThan(1.5 * few.perRow).isLessThan(20);
            assertThat(many.mostInACall).isLessThan(2 * few.mostInACall);
        }
    }

    /** Of a round, when so many rows are idle, and as many are held. */
    private Cost cost(Statement statement, int rows) throws SQLException {
        fill("held", rows, "now() + interval '1 hour'");
        fill("free", rows, "now() - interval '1 hour'");
        statement.execute(
                "INSERT INTO holdfast_tombstone (namespace, name, id, expires_at) SELECT namespace, name, id, expires_at"
                        + " FROM holdfast_lock WHERE state = 'free'");
        statement.execute("VACUUM ANALYZE holdfast_lock");
        Cost cost = round(statement);
        assertThat(database.value("SELECT count(*) FROM holdfast_lock WHERE state = 'free'"))
                .isEqualTo("0");
        assertThat(database.value("SELECT count(*) FROM holdfast_tombstone")).isEqualTo("0");
        assertThat(database.value("SELECT count(*) FROM holdfast_lock")).isEqualTo(Integer.toString(rows));
        statement.execute("TRUNCATE holdfast_lock, holdfast_tombstone");
        return new Cost(cost.perRow / (2 * rows), cost.mostInACall);
    }

    /** All calls of a round: what they read together, and the most that one read. */
    private static Cost round(Statement statement) throws SQLException {
        statement.execute("UPDATE holdfast_token_floor SET prune_page = 0, prune_at = '-infinity'");
        long all = 0;
        long most = 0;
        boolean isOver;
        do {
            long blocks = 0;
            try (ResultSet plan = statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM"
                    + " holdfast_prune(" + MINUTE + ", " + MINUTE + ", 32)")) {
                plan.next();
                Matcher found = BLOCKS.matcher(plan.getString(1));
                for (int kind = 0; kind < 2 && found.find(); kind++) { // of the whole call: it is what comes first
                    blocks += Long.parseLong(found.group(1));
                }
            }
            assertThat(blocks).isPositive();
            all += blocks;
            most = Math.max(most, blocks);
            try (ResultSet floor = statement.executeQuery("SELECT prune_page = 0 FROM holdfast_token_floor")) {
                floor.next();
                isOver = floor.getBoolean(1);
            }
        } while (!isOver);
        return new Cost(all, most);
    }

    @Test
    void prune_continuesWhereAnotherProcessStoppedAndPausesBetweenRounds() throws SQLException {
        makeTables();
        fill("free", 20_000, "now() - interval '1 hour'");
        try (Connection one = database.connect();
                Connection other = database.connect()) {
            long first = removed(one);
            assertThat(floor("prune_page")).isEqualTo("32");
            long second = removed(other);
            assertThat(floor("prune_page")).isEqualTo("64");
            assertThat(first).isPositive();
            assertThat(second).isPositive();
            assertThat(database.value("SELECT count(*) FROM holdfast_lock"))
                    .isEqualTo(Long.toString(20_000 - first - second));

            one.setAutoCommit(false);
            removed(one);
            assertThat(removed(other)).isZero(); // without waiting for the other process
            one.commit();
            assertThat(floor("prune_page")).isEqualTo("96");
            one.setAutoCommit(true);

            removedInARound(one);
            assertThat(database.value("SELECT count(*) FROM holdfast_lock")).isEqualTo("0");
            String next = floor("prune_at");
            fill("free", 10, "now() - interval '1 hour'");
            assertThat(removed(other)).isZero();
            assertThat(removed(one)).isZero();
            assertThat(floor("prune_at")).isEqualTo(next);
            database.execute("UPDATE holdfast_token_floor SET prune_at = clock_timestamp()"); // the pause is over
            assertThat(removedInARound(other)).isEqualTo(10);
        }
    }

    @Test
    void prune_whenNextRoundIsFarInTheFuture_startsAnyway() throws SQLException {
        makeTables();
        fill("free", 10, "now() - interval '1 hour'");
        database.execute("UPDATE holdfast_token_floor SET prune_at = now() + interval '1 day'");
        try (Connection connection = database.connect()) {
            assertThat(removed(connection)).isEqualTo(10);
        }
    }

    private void makeTables() throws SQLException {
        database.execute("ALTER TABLE holdfast_lock SET (autovacuum_enabled = off);"
                + " ALTER TABLE holdfast_tombstone SET (autovacuum_enabled = off)");
    }

    private void fill(String state, int rows, String until) throws SQLException {
        database.execute(
                "INSERT INTO holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state, waiter_count)"
                        + " SELECT 'test', '" + state + "' || i, i, gen_random_uuid(), '', now(), " + until + ", '"
                        + state
                        + "', 0 FROM generate_series(1, " + rows + ") i");
    }

    /** What is left of a round, or a whole one. */
    private long removedInARound(Connection connection) throws SQLException {
        long removed = 0;
        do {
            removed += removed(connection);
        } while (!floor("prune_page").equals("0"));
        return removed;
    }

    private static long removed(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT * FROM holdfast_prune(" + MINUTE + ", " + MINUTE + ", 32)")) {
            row.next();
            return row.getLong("removed");
        }
    }

    private String floor(String column) throws SQLException {
        return database.value("SELECT " + column + " FROM holdfast_token_floor");
    }
}
