package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.database.Assembly;
import dev.holdfast.lock.jdbc.database.Range;
import dev.holdfast.lock.jdbc.database.Scripts;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

/** Asks who holds what. */
final class Inspection implements Assembly.Columns {

    private static final String SQL = Scripts.read(Inspection.class, "inspect.sql");

    private final String sql;
    private final Namespace namespace;
    private final Range range;

    Inspection(String schema, Namespace namespace, Range range) {
        this.sql = SQL.replace("$schema", schema);
        this.namespace = namespace;
        this.range = range;
    }

    List<LockInfo> ask(Connection connection) throws SQLException {
        try (PreparedStatement question = connection.prepareStatement(sql)) {
            range.ask(question, namespace);
            question.setString(6, namespace.value());
            try (ResultSet rows = question.executeQuery()) {
                return Assembly.of(rows, this);
            }
        }
    }

    @Override
    public AcquisitionId id(ResultSet row) throws SQLException {
        UUID id = row.getObject("id", UUID.class);
        return new AcquisitionId(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    @Override
    public Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
