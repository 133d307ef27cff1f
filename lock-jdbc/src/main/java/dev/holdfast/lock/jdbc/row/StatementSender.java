package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.row.NamedStatements.Bound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends the statements of a transaction in order. They wait until {@link #flush}, and travel together where the driver can
 * send several in one round trip.
 */
final class StatementSender {

    /** The maximum number of rows of one statement: those of a batch from the engine. */
    private static final int MAX_ROWS = 256;

    /** The approximate size of the largest packet; a server's limit is at least four times this. */
    static final int MAX_BYTES = 200_000;

    private final Connection connection;
    private final NamedStatements statements;
    private final boolean sendsSeveral;
    private final List<Pending> pending = new ArrayList<>();
    private int pendingBytes;

    /** @param sendsSeveral whether one call of the driver may send several statements */
    StatementSender(Connection connection, NamedStatements statements, boolean sendsSeveral) {
        this.connection = connection;
        this.statements = statements;
        this.sendsSeveral = sendsSeveral;
    }

    /** @param handler of its result; null for a statement without a result */
    private record Pending(Bound statement, @Nullable RowsHandler handler) {}

    /** Whether statements that wait for the same {@link #flush} take one round trip. */
    boolean sendsSeveral() {
        return sendsSeveral;
    }

    /** Begins a transaction. */
    void begin(Dialect dialect, Statement statement) throws SQLException {
        if (sendsSeveral) {
            addAll(dialect.beginSeveral(connection));
        } else {
            dialect.begin(connection, statement);
        }
    }

    /** Commits the transaction, with what has not been sent yet. */
    void commit(Dialect dialect, Statement statement) throws SQLException {
        if (sendsSeveral) {
            addAll(dialect.commitSeveral(connection));
            flush();
        } else {
            flush();
            dialect.commit(connection, statement);
        }
    }

    /** Ends the transaction, and begins another one. */
    void restart(Dialect dialect, Statement statement) throws SQLException {
        if (sendsSeveral) {
            addAll(dialect.commitSeveral(connection));
            addAll(dialect.beginSeveral(connection));
        } else {
            dialect.commit(connection, statement);
            dialect.begin(connection, statement);
        }
    }

    private void addAll(List<String> all) throws SQLException {
        for (String each : all) {
            add(new Bound(each, List.of()), null);
        }
    }

    /** Reads the result of a query. */
    @FunctionalInterface
    interface Reader<T> {
        T read(ResultSet rows) throws SQLException;
    }

    /** Takes the result of a query once it has been sent. */
    @FunctionalInterface
    interface RowsHandler {
        void read(ResultSet rows) throws SQLException;
    }

    /** A query that waits for the next {@link #flush}. */
    void add(Bound query, @Nullable RowsHandler handler) throws SQLException {
        int size = query.size();
        if (!pending.isEmpty() && pendingBytes + size > MAX_BYTES) {
            flush();
        }
        pending.add(new Pending(query, handler));
        pendingBytes += size;
    }

    /** Adds statements for all the rows, which wait for the next {@link #flush}; none if there are no rows. */
    void addForEach(String name, List<? extends Map<String, ?>> rows, @Nullable RowsHandler handler)
            throws SQLException {
        for (Bound each : bindForEach(name, Map.of(), rows)) {
            add(each, handler);
        }
    }

    /** Statements for all the rows, each for as many as it can take. */
    List<Bound> bindForEach(String name, Map<String, ?> parameters, List<? extends Map<String, ?>> rows) {
        return parts(rows, row -> row).stream()
                .map(part -> statements.bind(name, parameters, part))
                .toList();
    }

    Bound bind(String name, Map<String, ?> parameters) {
        return statements.bind(name, parameters);
    }

    /** Parts of a list, each small enough for a statement. */
    private static <T> List<List<T>> parts(List<T> rows, Function<T, Map<String, ?>> values) {
        List<List<T>> parts = new ArrayList<>();
        List<T> part = new ArrayList<>();
        int bytes = 0;
        for (T row : rows) {
            int size = 20;
            for (Object value : values.apply(row).values()) {
                size += Bound.size(value);
            }
            if (!part.isEmpty() && (part.size() == MAX_ROWS || bytes + size > MAX_BYTES / 2)) {
                parts.add(part);
                part = new ArrayList<>();
                bytes = 0;
            }
            part.add(row);
            bytes += size;
        }
        if (!part.isEmpty()) {
            parts.add(part);
        }
        return parts;
    }

    <T> T query(String name, Map<String, ?> parameters, Reader<T> reader) throws SQLException {
        flush();
        try (PreparedStatement statement = statements.prepare(connection, name, parameters);
                ResultSet rows = statement.executeQuery()) {
            return reader.read(rows);
        }
    }

    /** The clock, in microseconds since 1970. */
    long readClock() throws SQLException {
        return query("read-clock", Map.of(), row -> row.next() ? row.getLong("now") : 0L);
    }

    /** Returns the number of rows changed or, as some drivers count, found. */
    int update(String name, Map<String, ?> parameters) throws SQLException {
        flush();
        try (PreparedStatement statement = statements.prepare(connection, name, parameters)) {
            return statement.executeUpdate();
        }
    }

    /** Sends the statements that wait, and reads their results. */
    void flush() throws SQLException {
        List<Pending> all = List.copyOf(pending);
        pending.clear();
        pendingBytes = 0;
        if (sendsSeveral && !all.isEmpty()) {
            send(all);
        } else {
            for (Pending each : all) {
                send(List.of(each));
            }
        }
    }

    private void send(List<Pending> all) throws SQLException {
        try (PreparedStatement statement =
                Bound.prepare(connection, all.stream().map(Pending::statement).toList())) {
            statement.execute();
            for (int index = 0; index < all.size(); index++) {
                if (index > 0) {
                    statement.getMoreResults();
                }
                RowsHandler handler = all.get(index).handler;
                if (handler != null) {
                    try (ResultSet rows = statement.getResultSet()) {
                        handler.read(rows);
                    }
                }
            }
        }
    }
}
