package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.mysql.MySqlType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MariaDB's driver where it opens another session for a connection, by URLs for several servers. */
@Tag("second-build")
@Timeout(300)
class MariaDbReconnectTest {

    private RowDatabase database;

    @BeforeEach
    void makeDatabase() {
        database = MariaDbDatabase.of(MariaDbServer.shared());
    }

    private String url(String parameters) {
        return database.settings().get("lock.jdbc.url") + parameters;
    }

    /** Of a URL for several servers, even if it names one. */
    private String urlOfSeveral(String parameters) {
        return url(parameters).replace("jdbc:mariadb:", "jdbc:mariadb:sequential:");
    }

    /** The driver does so for a connection of the pool that is checked. Another isolation hides what was committed meanwhile. */
    @Test
    void session_whenTheDriverHasReconnected_hasTheStoresSettings() throws SQLException {
        MySqlType type = new MySqlType();
        Deadline deadline = Deadline.in(CALL);
        DatabaseType.Settings settings = new DatabaseType.Settings(
                Optional.of(database.settings().get("lock.jdbc.username")),
                Optional.of(database.settings().get("lock.jdbc.password")),
                1,
                PooledConnections.MAX_LIFETIME,
                CALL,
                true,
                deadline);
        try (Connections connections = type.open(new JdbcUrl(urlOfSeveral("")), settings)) {
            connections.with(deadline, connection -> {
                String before = settings(connection);
                long first = number(connection, "SELECT CONNECTION_ID()");
                database.execute("KILL " + first);
                assertThat(connection.isValid(60)).isTrue();
                assertThat(number(connection, "SELECT CONNECTION_ID()")).isNotEqualTo(first);
                assertThat(settings(connection)).isEqualTo(before);
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
                return null;
            });
        }
    }

    private static String settings(Connection connection) throws SQLException {
        String variables = "SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation',"
                + " 'innodb_lock_wait_timeout', 'idle_transaction_timeout', 'sql_select_limit')";
        StringBuilder settings = new StringBuilder();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(variables)) {
            while (row.next()) {
                settings.append(row.getString(1))
                        .append('=')
                        .append(row.getString(2))
                        .append(' ');
            }
        }
        return settings + "silence=" + number(connection, "SELECT @holdfast_silence_within");
    }

    private static long number(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return RowDatabase.number(statement, query);
        }
    }

    /** Its place is taken by the statements of the store's sessions. */
    @Test
    void url_withInitSql_isRefused() {
        assertThatThrownBy(() -> Opened.store(database.settings("lock.jdbc.url", url("?initSql=SET @a = 1"))))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("lock.jdbc.url")
                .hasMessageContaining("without initSql");
    }

    /** The driver repeats the statements of a transaction that a failover has ended: the lock may have another holder by then. */
    @ParameterizedTest
    @ValueSource(
            strings = {"?transactionReplay=true", "?useCompression=false&TransactionReplay=1", "?transactionReplay"})
    void url_withTransactionReplay_isRefused(String parameters) {
        assertThatThrownBy(() -> Opened.store(database.settings("lock.jdbc.url", urlOfSeveral(parameters))))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("transactionReplay");
    }

    @Test
    void url_withoutTransactionReplay_isAccepted() {
        try (LockStore store = Opened.store(
                database.settings("lock.jdbc.url", urlOfSeveral("?transactionReplay=false&useCompression=false")))) {
            granted(store, acquire("accepted", id()));
        }
    }

    @Test
    void dataSource_withTransactionReplay_isRefused() {
        try (HikariDataSource source = new HikariDataSource(
                ApplicationPool.of(database.settings("lock.jdbc.url", urlOfSeveral("?transactionReplay=true"))))) {
            assertThatThrownBy(() -> Opened.on(source))
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("transactionReplay");
        }
    }
}
