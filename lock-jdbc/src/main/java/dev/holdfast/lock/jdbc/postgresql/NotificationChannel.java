package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.Deadline;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channel of a namespace, and the payloads on it.
 *
 * <p>Notifications that a function returns are sent in a separate transaction. A commit that notifies blocks all other notifying
 * commits of the server until it finishes: this one waits neither for the disk nor for a standby.
 */
final class NotificationChannel {

    /** The payload for every waiter: the authority state has changed. */
    static final String AUTHORITY_STATE = "authority-state";

    private static final Logger log = LoggerFactory.getLogger(NotificationChannel.class);

    private static final String SEND = "SELECT pg_catalog.set_config('synchronous_commit', 'off', true),"
            + " pg_catalog.set_config('lock_timeout', ?, true), pg_catalog.pg_notify(?, s)"
            + " FROM pg_catalog.unnest(?) s";

    private static final int DIGEST_BYTES = 16;

    /** How long to wait for other transactions that notify, in ms: the reply of the call waits for this. */
    private static final int MAX_LOCK_TIMEOUT = 100;

    /** The least time left, in ms, with which notifications are still sent. */
    private static final int MIN_MILLIS_LEFT = 20;

    private NotificationChannel() {}

    /** The name of the channel: no longer than PostgreSQL allows, and safe without quotes. */
    static String of(Namespace namespace) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(namespace.value().getBytes(StandardCharsets.US_ASCII));
            return "holdfast_" + HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The meaning of a payload. Any role may notify, so any other payload is a notification to every waiter. */
    static Notification parse(String payload) {
        try {
            int end = payload.indexOf(' ');
            return Notification.of(
                    new LockName(payload.substring(end + 1)), Uuids.id(UUID.fromString(payload.substring(0, end))));
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return Notification.ANY;
        }
    }

    /**
     * Sends notifications after a commit. A failure is only logged: waiters ask again by themselves.
     *
     * @param payloads see {@link #parse}; with none, nothing is sent
     * @param queue notes whether it is full
     * @param deadline of the call that causes them
     */
    static void send(
            Connection connection,
            Namespace namespace,
            List<String> payloads,
            NotificationQueue queue,
            Deadline deadline) {
        int left = deadline.millisLeft();
        if (payloads.isEmpty() || left < MIN_MILLIS_LEFT) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(SEND)) {
            connection.setNetworkTimeout(Runnable::run, left);
            statement.setString(1, Integer.toString(Math.min(MAX_LOCK_TIMEOUT, left / 2)));
            statement.setString(2, of(namespace));
            statement.setArray(3, connection.createArrayOf("text", payloads.toArray()));
            statement.execute();
        } catch (SQLException e) {
            if (queue.isFullAfter(e)) {
                return;
            }
            log.debug("no notifications were sent to waiters, which ask again by themselves", e);
        }
    }
}
