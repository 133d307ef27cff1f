package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.schema.LockInfoRows;
import dev.holdfast.lock.jdbc.schema.LockRange;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Namespace;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Reads the locks of a namespace; in write-ahead mode a read neither waits for writes nor blocks them. */
final class SqliteLockListing implements Connections.Work<List<LockInfo>>, LockInfoRows.Columns {

    private final Namespace namespace;
    private final LockRange range;
    private final long now;

    /** @param now microseconds since 1970 */
    SqliteLockListing(Namespace namespace, LockRange range, long now) {
        this.namespace = namespace;
        this.range = range;
        this.now = now;
    }

    @Override
    public List<LockInfo> on(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(LockStatements.sql("list-locks"))) {
            range.setParameters(query, namespace);
            query.setLong(6, now);
            query.setLong(7, now - WaiterRow.TIME_TO_LIVE);
            try (ResultSet rows = query.executeQuery()) {
                return LockInfoRows.read(rows, this);
            }
        }
    }

    @Override
    public AcquisitionId id(ResultSet row) throws SQLException {
        ByteBuffer id = ByteBuffer.wrap(row.getBytes("id"));
        return new AcquisitionId(id.getLong(), id.getLong());
    }

    @Override
    public Instant instant(ResultSet row, String column) throws SQLException {
        return Instant.EPOCH.plus(row.getLong(column), ChronoUnit.MICROS);
    }
}
