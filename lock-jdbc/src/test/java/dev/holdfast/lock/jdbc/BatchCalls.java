package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.Share;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Calls of {@code holdfast_execute} in one namespace, on a connection that listens to its notifications. */
final class BatchCalls {

    private static final String CALL = "SELECT reply_command, reply, reply_number, reply_micros"
            + " FROM holdfast_execute(?, ?, 60000, ?, ?, ?, ?, ?, ?, ?, ?)";

    private final Connection connection;
    private final String namespace;
    private final SortedSet<String> notifications = new TreeSet<>();
    private boolean wasDurable;

    /** A reply as the function returns it. */
    record Reply(
            String reply, @Nullable Long number, @Nullable Long micros) {}

    BatchCalls(Connection connection, String namespace) throws SQLException {
        this.connection = connection;
        this.namespace = namespace;
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = local; LISTEN " + namespace);
        }
    }

    /** Executes the commands in one call, and forgets the notifications of the call before. */
    List<Reply> execute(List<LockCommand> commands) throws SQLException {
        notifications.clear();
        connection.setAutoCommit(false);
        List<@Nullable Reply> replies = new ArrayList<>(Collections.nCopies(commands.size(), null));
        try (PreparedStatement statement = connection.prepareStatement(CALL)) {
            statement.setString(1, namespace);
            statement.setString(2, namespace);
            statement.setArray(3, array("text", commands, BatchCalls::kind));
            statement.setArray(4, array("text", commands, each -> each.name().value()));
            statement.setArray(
                    5,
                    array(
                            "uuid",
                            commands,
                            each -> new UUID(each.id().high(), each.id().low())));
            statement.setArray(6, array("int8", commands, BatchCalls::duration));
            statement.setArray(7, array("bool", commands, each -> each instanceof LockCommand.Acquire a && a.queue()));
            statement.setArray(
                    8, array("int8", commands, each -> each instanceof LockCommand.Acquire a ? a.tokenFloor() : 0L));
            statement.setArray(
                    9, array("text", commands, each -> each instanceof LockCommand.Acquire a ? a.owner() : ""));
            statement.setArray(
                    10,
                    array(
                            "int8",
                            commands,
                            each -> each instanceof LockCommand.Release r ? micros(r.tombstone()) : 0L));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (rows.getInt(1) == 0) {
                        notifications.add(rows.getString(2));
                    } else {
                        Reply reply = new Reply(
                                rows.getString(2), rows.getObject(3, Long.class), rows.getObject(4, Long.class));
                        if (replies.set(rows.getInt(1) - 1, reply) != null) {
                            throw new IllegalStateException("two replies to command " + rows.getInt(1));
                        }
                    }
                }
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet mode = statement.executeQuery("SHOW synchronous_commit")) {
            mode.next();
            wasDurable = !mode.getString(1).equals("off");
        }
        connection.commit();
        connection.setAutoCommit(true);
        for (PGNotification each : connection.unwrap(PGConnection.class).getNotifications()) {
            notifications.add(each.getParameter());
        }
        return List.copyOf(replies);
    }

    /** Whether the last call was committed durably. */
    boolean wasDurable() {
        return wasDurable;
    }

    /** What the last call notified, itself or by its caller. */
    SortedSet<String> notifications() {
        return new TreeSet<>(notifications);
    }

    /** All rows of the namespace, as texts without it. */
    List<String> rows() throws SQLException {
        List<String> all = new ArrayList<>();
        for (String table : List.of("holdfast_lock", "holdfast_share", "holdfast_waiter", "holdfast_tombstone")) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT (to_jsonb(t) - 'namespace')::text FROM " + table
                            + " t WHERE namespace = '" + namespace + "' ORDER BY 1")) {
                while (rows.next()) {
                    all.add(table + " " + rows.getString(1));
                }
            }
        }
        return all;
    }

    private Array array(String type, List<LockCommand> commands, Function<LockCommand, Object> value)
            throws SQLException {
        return connection.createArrayOf(type, commands.stream().map(value).toArray());
    }

    private static String kind(LockCommand command) {
        if (command instanceof LockCommand.Acquire) {
            Share share = command.share();
            return share.isExclusive() ? "acquire" : "share " + share.permits() + " " + share.limit();
        }
        return command instanceof LockCommand.Renew ? "renew" : "release";
    }

    private static long duration(LockCommand command) {
        if (command instanceof LockCommand.Acquire acquire) {
            return micros(acquire.lease());
        } else if (command instanceof LockCommand.Renew renew) {
            return micros(renew.lease());
        }
        return micros(((LockCommand.Release) command).minimumHold());
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
