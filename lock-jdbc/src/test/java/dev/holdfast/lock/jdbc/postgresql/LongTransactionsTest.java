package dev.holdfast.lock.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.Commands;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.jdbc.pool.ApplicationDataSource;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The finding about transactions that keep old versions of rows from being removed. */
@Tag("first-build")
class LongTransactionsTest {

    private final Postgres database = Postgres.withTables();

    @Test
    void diagnose_whenATransactionIsOlderThanAllowed_namesItsProcess() throws SQLException {
        try (Connection application = database.connect();
                Statement statement = application.createStatement()) {
            application.setAutoCommit(false);
            statement.execute("SELECT pg_current_xact_id()");
            String process = database.value("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND state = 'idle in transaction'");

            assertThat(transactions(Duration.ZERO))
                    .singleElement()
                    .satisfies(
                            finding -> assertThat(finding.found()).contains("the transaction of process " + process));
            assertThat(transactions(Duration.ofHours(1))).isEmpty();
        }
    }

    private List<Finding> transactions(Duration longTransaction) throws SQLException {
        try (ApplicationDataSource connections = new ApplicationDataSource(new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return database.connect();
            }
        })) {
            Deadline deadline = Deadline.in(Commands.CALL);
            List<Finding> findings = connections.with(
                    deadline,
                    new PostgreSqlDiagnostics(
                            connections, deadline, "public", new JdbcUrl(database.url()), false, longTransaction));
            return findings.stream()
                    .filter(finding -> finding.subject().equals("transactions"))
                    .toList();
        }
    }
}
