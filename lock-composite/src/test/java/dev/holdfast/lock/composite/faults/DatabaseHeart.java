package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.pulse.Heart;
import dev.holdfast.lock.pulse.Pulse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Whether a database goes on to commit. */
final class DatabaseHeart implements Heart {

    private static final String COMMIT = "SELECT pg_logical_emit_message(true, 'pulse', '')";

    private final PostgresServer server;
    private @Nullable Connection connection;

    private DatabaseHeart(PostgresServer server) {
        this.server = server;
    }

    /** What a composite on this database does unless something stands still for as long as a look at the primary is away. */
    static void steadily(PostgresServer server, Timing timing, Pulse.Attempt attempt) throws Exception {
        Pulse.steadily(timing.looking(), pulse -> {
            pulse.feel(new DatabaseHeart(server));
            attempt.make(pulse);
        });
    }

    @Override
    public void beat() {
        try {
            if (connection == null) {
                connection = server.connect(server.url("postgres"));
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute(COMMIT);
            }
        } catch (SQLException e) {
            close(); // it is dead
        }
    }

    @Override
    public void close() {
        Connection last = connection;
        connection = null;
        if (last != null) {
            try {
                last.close();
            } catch (SQLException e) {
                // it was dead already
            }
        }
    }
}
