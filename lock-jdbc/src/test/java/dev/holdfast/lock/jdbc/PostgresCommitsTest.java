package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Settings of PostgreSQL that weaken commits: a grant is committed durably all the same. */
@Tag("first-build")
class PostgresCommitsTest {

    private final Postgres database = Postgres.withTables();

    @Test
    void commands_whenRoleHasWeakDefaults_areExecuted() throws SQLException {
        String name = database.name();
        database.execute("CREATE ROLE weak_" + name + " LOGIN PASSWORD 'weak'");
        for (String setting : List.of(
                "default_transaction_isolation = 'repeatable read'",
                "default_transaction_read_only = on",
                "synchronous_commit = off")) {
            database.execute("ALTER ROLE weak_" + name + " SET " + setting);
        }
        // No more than the README says.
        database.execute(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_lock, holdfast_waiter, holdfast_tombstone TO weak_"
                        + name);
        database.execute("GRANT SELECT, UPDATE ON holdfast_token_floor TO weak_" + name);
        try (LockStore store =
                Opened.store(database.settings("lock.jdbc.username", "weak_" + name, "lock.jdbc.password", "weak"))) {
            AcquisitionId id = id();
            granted(store, acquire("weak", id));
            granted(store, renew("weak", id, LEASE));
            assertThat(ask(store, release("weak", id))).isEqualTo(new LockReply.Released(true));
        }
    }

    @Test
    void commits_areDurableForGrantsAndMinimumHoldsOnly() throws SQLException {
        long minute = 60_000_000;
        String free = "gen_random_uuid()";
        AcquisitionId id = id();
        String held = "'" + new UUID(id.high(), id.low()) + "'";
        try (LockStore store = Opened.store("modes", database.settings())) {
            granted(store, acquire("a", id, Duration.ofHours(1)));
        }
        assertThat(commitMode("off", "acquire", held, minute)).as("again").isEqualTo("on");
        assertThat(commitMode("off", "acquire", free, minute)).as("refused").isEqualTo("off");
        assertThat(commitMode("on", "wait", free, minute)).isEqualTo("off");
        assertThat(commitMode("local", "renew", held, minute)).isEqualTo("on");
        assertThat(commitMode("on", "renew", free, minute)).as("gone").isEqualTo("off");
        assertThat(commitMode("on", "release", held, 0)).isEqualTo("off");
        assertThat(commitMode("off", "release", held, minute))
                .as("with a minimum hold")
                .isEqualTo("on");
        assertThat(commitMode("off", "release", held, 1)).as("that is over").isEqualTo("off");
        assertThat(commitMode("remote_apply", "release,acquire", held, 0)).isEqualTo("remote_apply");
        assertThat(commitMode("off", "release,acquire", held, 0))
                .as("a grant among others")
                .isEqualTo("on");
    }

    /** What is set when the function's transaction comes to its end: of steps on the held lock a, and then the free b. */
    private String commitMode(String before, String kinds, String id, long micros) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET synchronous_commit = " + before);
            boolean queue = kinds.equals("wait");
            String upTo = "[1:" + kinds.split(",").length + "]";
            statement.execute("SELECT FROM holdfast_execute('modes', 'channel', 1000, string_to_array('"
                    + (queue ? "acquire" : kinds) + "', ','), (ARRAY['a', 'b'])" + upTo + ", (ARRAY[" + id
                    + "::uuid, gen_random_uuid()])" + upTo + ", (ARRAY[" + micros + ", 1]::bigint[])" + upTo
                    + ", (ARRAY[" + queue + ", false])" + upTo + ", (ARRAY[0, 0]::bigint[])" + upTo
                    + ", (ARRAY['', ''])" + upTo + ", (ARRAY[0, 0]::bigint[])" + upTo + ")");
            try (var mode = statement.executeQuery("SHOW synchronous_commit")) {
                mode.next();
                return mode.getString(1);
            } finally {
                connection.rollback();
            }
        }
    }
}
