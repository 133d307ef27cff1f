package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.spi.AcquisitionId;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** The identity of a lock in the database. Ordered, so that all transactions create rows in one order. */
record LockKey(String namespace, String name) implements Comparable<LockKey> {

    private static final Comparator<LockKey> ORDER =
            Comparator.comparing(LockKey::namespace).thenComparing(LockKey::name);

    static LockKey read(Dialect dialect, ResultSet row) throws SQLException {
        return new LockKey(dialect.fromColumn(row, "namespace"), dialect.fromColumn(row, "name"));
    }

    /** The key as parameters of a statement; more can be added. */
    Map<String, Object> parameters(Dialect dialect) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("namespace", dialect.toColumn(namespace));
        parameters.put("name", dialect.toColumn(name));
        return parameters;
    }

    /** The key as parameters of a statement, with an id of this lock. */
    Map<String, Object> parameters(Dialect dialect, AcquisitionId id) {
        Map<String, Object> parameters = parameters(dialect);
        parameters.put("id", toColumn(id));
        return parameters;
    }

    /** An id as a column holds it. */
    static byte[] toColumn(AcquisitionId id) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.high())
                .putLong(id.low())
                .array();
    }

    /** The id in a column. */
    static AcquisitionId fromColumn(byte[] id) {
        ByteBuffer bytes = ByteBuffer.wrap(id);
        return new AcquisitionId(bytes.getLong(), bytes.getLong());
    }

    @Override
    public int compareTo(LockKey other) {
        return ORDER.compare(this, other);
    }
}
