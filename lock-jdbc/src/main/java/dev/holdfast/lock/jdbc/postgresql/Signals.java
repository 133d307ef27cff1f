package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells waiters something, in a transaction of its own. A commit that notifies keeps all others of the whole server from
 * notifying until it is over: this one waits neither for the disk nor for a standby.
 */
final class Signals {

    /** To no waiter in particular: the regime has changed. */
    static final String REGIME = "regime";

    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

    private static final String SQL = "SELECT pg_catalog.set_config('synchronous_commit', 'off', true),"
            + " pg_catalog.set_config('lock_timeout', ?, true), pg_catalog.pg_notify(?, s)"
            + " FROM pg_catalog.unnest(?) s";

    /** For others who notify: what was asked is answered only after that. */
    private static final int MOST_MILLIS = 100;

    /** With less left nothing is sent. */
    private static final int LEAST_MILLIS = 20;

    private Signals() {}

    /**
     * Tells what is to be told once what was done is committed. A failure is only told to the log: waiters ask again by themselves.
     *
     * @param payloads as {@link Channel} reads them; none for nothing
     * @param deadline of the call that has something to tell
     */
    static void send(Connection connection, Namespace namespace, List<String> payloads, Deadline deadline) {
        int left = deadline.millisLeft();
        if (payloads.isEmpty() || left < LEAST_MILLIS) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(SQL)) {
            connection.setNetworkTimeout(Runnable::run, left);
            statement.setString(1, Integer.toString(Math.min(MOST_MILLIS, left / 2)));
            statement.setString(2, Channel.of(namespace));
            statement.setArray(3, connection.createArrayOf("text", payloads.toArray()));
            statement.execute();
        } catch (SQLException e) {
            LOG.debug("waiters were not told; they ask again by themselves", e);
        }
    }
}
