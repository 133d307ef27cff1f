package dev.holdfast.lock.jdbc.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The MariaDB server of the tests. */
@Tag("second-build")
@Timeout(300)
class MariaDbServerTest {

    @Test
    void server_whenKilledAndStartedAgain_hasWhatWasCommitted() throws Exception {
        try (MariaDbServer server = MariaDbServer.own()) {
            String database = server.newDatabase();
            try (Connection connection = server.connect(database);
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE kept (number INTEGER)");
                statement.execute("INSERT INTO kept VALUES (42)");
            }
            server.kill();
            server.start();
            try (Connection connection = server.connect(database);
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT number FROM kept")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getInt(1)).isEqualTo(42);
            }
        }
    }
}
