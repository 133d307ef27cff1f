package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.database.LockInfoRows;
import dev.holdfast.lock.jdbc.database.LockRange;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the locks of a namespace. */
final class RowLockListing implements Connections.Work<List<LockInfo>>, LockInfoRows.Columns {

    private final Dialect dialect;
    private final NamedStatements statements;
    private final Namespace namespace;
    private final LockRange range;

    RowLockListing(Dialect dialect, NamedStatements statements, Namespace namespace, LockRange range) {
        this.dialect = dialect;
        this.statements = statements;
        this.namespace = namespace;
        this.range = range;
    }

    @Override
    public List<LockInfo> on(Connection connection) throws SQLException {
        long now = new StatementSender(connection, statements, false).readClock();
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("namespace", dialect.toColumn(namespace.value()));
        parameters.put("from", dialect.toColumn(range.from()));
        parameters.put("after", dialect.toColumn(range.after()));
        parameters.put("before", dialect.toColumn(range.before()));
        parameters.put("limit", range.limit());
        parameters.put("now", now);
        parameters.put("dead_since", now - WaiterRow.TIME_TO_LIVE);
        try (PreparedStatement query = statements.prepare(connection, "list-locks", parameters);
                ResultSet rows = query.executeQuery()) {
            return LockInfoRows.read(rows, this);
        }
    }

    @Override
    public String name(ResultSet row) throws SQLException {
        return dialect.fromColumn(row, "name");
    }

    @Override
    public AcquisitionId id(ResultSet row) throws SQLException {
        return LockKey.fromColumn(row.getBytes("id"));
    }

    @Override
    public Instant instant(ResultSet row, String column) throws SQLException {
        return Instant.EPOCH.plus(row.getLong(column), ChronoUnit.MICROS);
    }
}
