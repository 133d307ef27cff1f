package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.database.Assembly;
import dev.holdfast.lock.jdbc.database.Range;
import dev.holdfast.lock.jdbc.database.Scripts;
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

/** Asks who holds what: a read, which in a file that is written ahead waits for nobody and holds up nobody. */
final class Inspection implements Assembly.Columns {

    private static final String SQL = Scripts.read(Inspection.class, "inspect.sql");

    private final Namespace namespace;
    private final Range range;
    private final long now;

    /** @param now microseconds since 1970 */
    Inspection(Namespace namespace, Range range, long now) {
        this.namespace = namespace;
        this.range = range;
        this.now = now;
    }

    List<LockInfo> ask(Connection connection) throws SQLException {
        try (PreparedStatement question = connection.prepareStatement(SQL)) {
            range.ask(question, namespace);
            question.setLong(6, now);
            question.setLong(7, now - Ticket.TIME);
            try (ResultSet rows = question.executeQuery()) {
                return Assembly.of(rows, this);
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
