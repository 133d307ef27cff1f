package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.database.BatchRetry;
import dev.holdfast.lock.jdbc.database.SqlValues;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** A batch of commands as one call. */
final class PostgreSqlBatch extends PostgreSqlCall<List<LockReply>> {

    /** The parameters with exactly the function's types, so that no overload in the schema fits better. */
    private static final String PARAMETERS =
            "?::pg_catalog.text, ?::pg_catalog.text, ?::pg_catalog.int4, ?::pg_catalog.text[],"
                    + " ?::pg_catalog.text[], ?::pg_catalog.uuid[], ?::pg_catalog.int8[], ?::pg_catalog.bool[],"
                    + " ?::pg_catalog.int8[], ?::pg_catalog.text[], ?::pg_catalog.int8[]";

    private final String sql;
    private final boolean isForPlainNamespace;
    private final NotificationQueue queue;
    private final Namespace namespace;
    private final List<LockCommand> commands;
    private final String[] kinds;
    private final String[] names;
    private final UUID[] ids;
    private final Long[] durations;
    private final Boolean[] queues;
    private final Long[] tokenFloors;
    private final String[] owners;
    private final Long[] tombstones;
    private final List<String> notifications = new ArrayList<>();
    private boolean notifies;

    /**
     * A batch for a namespace without an authority state; if there is one, the call does nothing and returns no replies.
     * PostgreSQL evaluates the condition before it calls the function, as it does not depend on a row, and keeps the table of
     * the authority state locked until the commands are committed: a transaction that initializes an authority state waits for
     * that.
     */
    static PostgreSqlBatch inPlainNamespace(
            Connections connections,
            Deadline deadline,
            StandbyGuard standbys,
            NotificationQueue queue,
            String schema,
            Namespace namespace,
            List<LockCommand> commands) {
        String call = schema + ".holdfast_execute(" + PARAMETERS + ") WHERE NOT EXISTS (SELECT FROM " + schema
                + ".holdfast_authority_state s WHERE s.namespace = ?::pg_catalog.text)";
        return new PostgreSqlBatch(connections, deadline, standbys, queue, call, true, namespace, commands);
    }

    /** A batch of the commands that the authority state of this epoch allows. */
    static PostgreSqlBatch atEpoch(
            Connections connections,
            Deadline deadline,
            StandbyGuard standbys,
            NotificationQueue queue,
            String schema,
            Namespace namespace,
            long epoch,
            List<LockCommand> commands) {
        String call = schema + ".holdfast_execute_at_epoch(" + PARAMETERS + ", " + PostgreSqlAuthorityStore.BUCKET
                + "::pg_catalog.int4, " + epoch + "::pg_catalog.int8)";
        return new PostgreSqlBatch(connections, deadline, standbys, queue, call, false, namespace, commands);
    }

    private PostgreSqlBatch(
            Connections connections,
            Deadline deadline,
            StandbyGuard standbys,
            NotificationQueue queue,
            String call,
            boolean isForPlainNamespace,
            Namespace namespace,
            List<LockCommand> commands) {
        super(connections, deadline, standbys);
        this.sql = "SELECT * FROM " + call;
        this.isForPlainNamespace = isForPlainNamespace;
        this.queue = queue;
        this.notifies = queue.accepts();
        this.namespace = namespace;
        this.commands = commands;
        int size = commands.size();
        kinds = new String[size];
        names = new String[size];
        ids = new UUID[size];
        durations = new Long[size];
        queues = new Boolean[size];
        tokenFloors = new Long[size];
        owners = new String[size];
        tombstones = new Long[size];
        Arrays.fill(queues, false);
        Arrays.fill(tokenFloors, 0L);
        Arrays.fill(owners, "");
        Arrays.fill(tombstones, 0L);
        for (int at = 0; at < size; at++) {
            put(at, commands.get(at));
        }
    }

    private void put(int at, LockCommand command) {
        names[at] = command.name().value();
        ids[at] = Uuids.of(command.id());
        if (command instanceof LockCommand.Acquire acquire) {
            kinds[at] = kind(acquire.share());
            durations[at] = SqlValues.micros(acquire.lease());
            queues[at] = acquire.queue();
            tokenFloors[at] = acquire.tokenFloor();
            owners[at] = SqlValues.text(acquire.owner());
        } else if (command instanceof LockCommand.Renew renew) {
            kinds[at] = "renew";
            durations[at] = SqlValues.micros(renew.lease());
        } else {
            LockCommand.Release release = (LockCommand.Release) command;
            kinds[at] = "release";
            durations[at] = SqlValues.micros(release.minimumHold());
            tombstones[at] = SqlValues.micros(release.tombstone());
        }
    }

    /** The kind of an acquire, with its share unless that is the exclusive one. */
    private static String kind(Share share) {
        return share.isExclusive() ? "acquire" : "share " + share.permits() + " " + share.limit();
    }

    @Override
    List<LockReply> execute(Connection connection, int millisLeft) throws SQLException {
        notifications.clear();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, namespace.value());
            statement.setString(2, notifies ? NotificationChannel.of(namespace) : null);
            statement.setInt(3, new BatchRetry.LockTimeout(commands.size()).millis(millisLeft));
            statement.setArray(4, connection.createArrayOf("text", kinds));
            statement.setArray(5, connection.createArrayOf("text", names));
            statement.setArray(6, connection.createArrayOf("uuid", ids));
            statement.setArray(7, connection.createArrayOf("int8", durations));
            statement.setArray(8, connection.createArrayOf("bool", queues));
            statement.setArray(9, connection.createArrayOf("int8", tokenFloors));
            statement.setArray(10, connection.createArrayOf("text", owners));
            statement.setArray(11, connection.createArrayOf("int8", tombstones));
            if (isForPlainNamespace) {
                statement.setString(12, namespace.value());
            }
            try (ResultSet rows = statement.executeQuery()) {
                if (isForPlainNamespace && !rows.isBeforeFirst()) {
                    return List.of();
                }
                List<LockReply> replies = ReplyRows.read(
                        rows, commands.stream().map(LockCommand::name).toList(), notifications::add);
                StandbyGuard.ensureConfirmed(statement);
                return replies;
            }
        }
    }

    @Override
    boolean isRepeatedAfter(SQLException failure) {
        if (notifies && queue.isFullAfter(failure)) {
            notifies = false;
            return true;
        }
        return false;
    }

    @Override
    void afterCommit(Connection connection, Deadline callDeadline) {
        NotificationChannel.send(connection, namespace, notifications, queue, callDeadline);
    }

    @Override
    boolean isConfirmed(List<LockReply> replies) {
        return ReplyRows.areConfirmed(replies);
    }
}
