package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.database.Scripts;
import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The single statements, inside a transaction that somebody else began. */
final class Statements {

    private static final String ROW = text("row.sql");
    private static final String REMEMBERED = text("remembered.sql");
    private static final String FLOOR = text("floor.sql");
    private static final String GRANT = text("grant.sql");
    private static final String RENEW = text("renew.sql");
    private static final String RELEASE = text("release.sql");
    private static final String REMEMBER = text("remember.sql");
    private static final String PRUNE_LOCKS = text("prune-locks.sql");
    private static final String RAISE_FLOOR = text("raise-floor.sql");
    private static final String PRUNE_RELEASED = text("prune-released.sql");

    private final Connection connection;
    private final Namespace namespace;

    Statements(Connection connection, Namespace namespace) {
        this.connection = connection;
        this.namespace = namespace;
    }

    private static String text(String name) {
        return Scripts.read(Statements.class, name);
    }

    Row row(String name) throws SQLException {
        try (PreparedStatement statement = prepare(ROW, namespace.value(), name);
                ResultSet found = statement.executeQuery()) {
            return found.next()
                    ? new Row(
                            found.getLong("token"),
                            found.getBytes("id"),
                            found.getLong("since"),
                            found.getLong("until"),
                            found.getString("state"))
                    : Row.NONE;
        }
    }

    boolean isRemembered(String name, byte[] id, long now) throws SQLException {
        try (PreparedStatement statement = prepare(REMEMBERED, namespace.value(), name, id, now);
                ResultSet found = statement.executeQuery()) {
            return found.next();
        }
    }

    long floor() throws SQLException {
        try (PreparedStatement statement = prepare(FLOOR);
                ResultSet found = statement.executeQuery()) {
            found.next();
            return found.getLong(1);
        }
    }

    void grant(String name, long token, byte[] id, String owner, long since, long until) throws SQLException {
        update(GRANT, namespace.value(), name, token, id, owner, since, until);
    }

    void renew(String name, long until) throws SQLException {
        update(RENEW, until, namespace.value(), name);
    }

    void release(String name, long until, String state) throws SQLException {
        update(RELEASE, until, state, namespace.value(), name);
    }

    void remember(String name, byte[] id, long until) throws SQLException {
        update(REMEMBER, namespace.value(), name, id, until);
    }

    /** Removes a few rows that were idle before, whatever their namespace, and keeps what has to be kept of them. */
    void prune(long idleBefore, long now) throws SQLException {
        long greatest = 0;
        try (PreparedStatement statement = prepare(PRUNE_LOCKS, idleBefore);
                ResultSet removed = statement.executeQuery()) {
            while (removed.next()) {
                greatest = Math.max(greatest, removed.getLong(1));
            }
        }
        if (greatest > 0) {
            update(RAISE_FLOOR, greatest);
        }
        update(PRUNE_RELEASED, now);
    }

    private void update(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            statement.executeUpdate();
        }
    }

    private PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int at = 0; at < parameters.length; at++) {
            statement.setObject(at + 1, parameters[at]);
        }
        return statement;
    }
}
