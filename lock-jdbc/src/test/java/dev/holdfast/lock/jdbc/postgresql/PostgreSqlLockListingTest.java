package dev.holdfast.lock.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.JdbcLockStore;
import dev.holdfast.lock.jdbc.Opened;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.jdbc.database.LockRange;
import dev.holdfast.lock.jdbc.pool.ApplicationDataSource;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The rows that a page of locks reads. */
@Tag("first-build")
class PostgreSqlLockListingTest {

    private static final Duration CALL = Duration.ofSeconds(10);

    private static final String LOCKS =
            "INSERT INTO holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state, waiter_count)"
                    + " SELECT 'test', name, 1, gen_random_uuid(), '', now(), now() + interval '1 hour', 'held', 0 FROM ";

    private static final String ROWS_READ = "SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)"
            + " FROM pg_stat_xact_user_tables WHERE relname IN ('holdfast_lock', 'holdfast_waiter')";

    @Test
    void page_readsOnlyTheRowsOfItsRange() throws SQLException {
        Postgres database = Postgres.withTables();
        PostgresServer server = database.server();
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.url());
        source.setUser(server.username());
        source.setPassword(server.password());
        Namespace namespace = new Namespace("test");
        try (JdbcLockStore tables = Opened.on(source, namespace);
                Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(tables.list("", CALL)).isEmpty();
            statement.execute(LOCKS + "(SELECT 'other ' || n AS name FROM generate_series(1, 20000) n) n");
            statement.execute(LOCKS + "(VALUES ('job')) n (name)");
            statement.execute("ANALYZE holdfast_lock");
            connection.setAutoCommit(false);
            Connections connections = new ApplicationDataSource(source);
            long before = number(statement, ROWS_READ);

            LockRange one = new LockRange("job", "", "job\uDBFF\uDFFF", 500);
            assertThat(new PostgreSqlLockListing(connections, Deadline.in(CALL), "public", namespace, one)
                            .execute(connection, 0))
                    .extracting(lock -> lock.name().value())
                    .containsExactly("job");
            long between = number(statement, ROWS_READ);
            assertThat(between - before).isBetween(1L, 10L);

            LockRange many = new LockRange("other", "", "other\uDBFF\uDFFF", 500);
            assertThat(new PostgreSqlLockListing(connections, Deadline.in(CALL), "public", namespace, many)
                            .execute(connection, 0))
                    .hasSize(500);
            assertThat(number(statement, ROWS_READ) - between).isBetween(500L, 600L);
        }
    }

    private static long number(Statement statement, String question) throws SQLException {
        try (ResultSet row = statement.executeQuery(question)) {
            row.next();
            return row.getLong(1);
        }
    }
}
