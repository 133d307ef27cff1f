package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.database.LockInfoRows;
import dev.holdfast.lock.jdbc.database.LockRange;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.schema.SqlScripts;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

/** Reads the locks of a namespace, in one query without locks. */
final class PostgreSqlLockListing extends PostgreSqlCall<List<LockInfo>> implements LockInfoRows.Columns {

    private static final String SQL = SqlScripts.read(PostgreSqlLockListing.class, "list-locks.sql");

    private final String sql;
    private final Namespace namespace;
    private final LockRange range;

    PostgreSqlLockListing(
            Connections connections, Deadline deadline, String schema, Namespace namespace, LockRange range) {
        super(connections, deadline, null);
        this.sql = SQL.replace("$schema", schema);
        this.namespace = namespace;
        this.range = range;
    }

    @Override
    List<LockInfo> execute(Connection connection, int millisLeft) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            range.setParameters(query, namespace);
            try (ResultSet rows = query.executeQuery()) {
                return LockInfoRows.read(rows, this);
            }
        }
    }

    @Override
    public AcquisitionId id(ResultSet row) throws SQLException {
        return Uuids.id(row.getObject("id", UUID.class));
    }

    @Override
    public Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
