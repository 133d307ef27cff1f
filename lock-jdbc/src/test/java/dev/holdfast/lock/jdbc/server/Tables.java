package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Changes of the tables in a PostgreSQL database for the kit: of the rows of one namespace, as other tests use the others.
 */
public record Tables(PostgresServer server, String url) {

    /** Every time that was written down is later by so much than it was. */
    public void stepClockBack(Namespace namespace, Duration by) {
        String interval = by.toMillis() + " * interval '1 millisecond'";
        change("UPDATE holdfast_lock SET token = token + " + by.toMillis() * 1_000 + ", granted_at = granted_at + "
                + interval + ", expires_at = expires_at + " + interval + ", promoted_at = promoted_at + " + interval
                + where(namespace));
        change("UPDATE holdfast_share SET token = token + " + by.toMillis() * 1_000 + ", granted_at = granted_at + "
                + interval + ", expires_at = expires_at + " + interval + where(namespace));
        change("UPDATE holdfast_waiter SET seen_at = seen_at + " + interval + ", due_at = due_at + " + interval
                + where(namespace));
        change("UPDATE holdfast_tombstone SET expires_at = expires_at + " + interval + where(namespace));
    }

    /** Lets unused rows have been idle for so long that they are pruned, and prunes them. */
    public void prune(Namespace namespace) {
        change("UPDATE holdfast_lock SET expires_at = expires_at - interval '2 minutes'" + where(namespace)
                + " AND (state = 'free' OR expires_at <= clock_timestamp())"
                + " AND name NOT IN (SELECT name FROM holdfast_waiter" + where(namespace)
                + " AND seen_at > clock_timestamp() - interval '15 seconds')");
        // The update locks the token floor first, so that no other process prunes meanwhile.
        change("BEGIN; UPDATE holdfast_token_floor SET prune_page = 0, prune_at = '-infinity';"
                + " SELECT holdfast_prune(60 * 1000000, 0, 1000000); COMMIT");
    }

    /** How many rows there are, without the shares of locks that have a row. */
    public long rows(Namespace namespace) {
        String where = where(namespace) + ")";
        String sql = "SELECT (SELECT count(*) FROM holdfast_lock" + where + " + (SELECT count(*) FROM holdfast_waiter"
                + where + " + (SELECT count(*) FROM holdfast_tombstone" + where
                + " + (SELECT count(*) FROM holdfast_share" + where(namespace)
                + " AND name NOT IN (SELECT name FROM holdfast_lock" + where + ")";
        try (Connection connection = server.connect(url);
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery(sql)) {
            count.next();
            return count.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String where(Namespace namespace) {
        return " WHERE namespace = '" + namespace + "'";
    }

    private void change(String sql) {
        try (Connection connection = server.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
