package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** An advisory lock of PostgreSQL, which is its session's: it is held for as long as its connection is. */
final class AdvisoryLock implements Peer {

    private static final String LOCK = "SELECT pg_advisory_lock(hashtextextended(?, 0))";
    private static final String UNLOCK = "SELECT pg_advisory_unlock(hashtextextended(?, 0))";

    private final HikariDataSource database;

    private AdvisoryLock(Place place) {
        this.database = Pool.sql(place);
    }

    static Candidate candidate() {
        return new Candidate(
                "advisory-lock",
                "PostgreSQL advisory lock",
                Store.POSTGRESQL,
                false,
                true,
                Pool.STATED
                        + " (HikariCP); pg_advisory_lock of the name's 64-bit hash; a connection for each that holds or"
                        + " waits, all others queue for one",
                AdvisoryLock::new);
    }

    @Override
    public Held acquire(String name) throws SQLException {
        Connection connection = database.getConnection();
        try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
            statement.setString(1, name);
            statement.execute();
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        return () -> release(connection, name);
    }

    private static void release(Connection connection, String name) throws SQLException {
        try (connection;
                PreparedStatement statement = connection.prepareStatement(UNLOCK)) {
            statement.setString(1, name);
            try (ResultSet result = statement.executeQuery()) {
                if (!result.next() || !result.getBoolean(1)) {
                    throw new IllegalStateException("lost before its release: " + name);
                }
            }
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
