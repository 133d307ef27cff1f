package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Namespace;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Makes sure, at the opening, that a namespace is not a composite's; from then on every {@link Batch} does. */
final class Unruled {

    private Unruled() {}

    /** @throws LockConfigurationException if it is */
    static void require(Connections connections, String schema, Namespace namespace, Deadline deadline)
            throws SQLException {
        String question = "SELECT FROM " + schema + ".holdfast_regime r WHERE r.namespace = ?::pg_catalog.text";
        boolean ruled = Session.ask(connections, deadline, (connection, millis) -> {
            try (PreparedStatement statement = connection.prepareStatement(question)) {
                statement.setString(1, namespace.value());
                try (ResultSet row = statement.executeQuery()) {
                    return row.next();
                }
            }
        });
        if (ruled) {
            throw refusal(namespace);
        }
    }

    /** What whoever uses a composite's namespace alone is told. */
    static LockConfigurationException refusal(Namespace namespace) {
        return new LockConfigurationException("the namespace " + namespace + " of this database belongs to a composite:"
                + " use lock.provider=composite, as the others do, or another lock.namespace");
    }
}
