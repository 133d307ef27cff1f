package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client that stops between the statements of a transaction. */
@Tag("first-build")
class StoppedClientTest {

    @Test
    void lock_whenAClientHasStoppedWithinItsTransaction_isGrantedToTheNext() throws SQLException {
        Postgres database = Postgres.withTables();
        try (PostgresProxy proxy = new PostgresProxy(database.server())) {
            AtomicBoolean stops = new AtomicBoolean();
            AbstractDataSource stopping = new AbstractDataSource() {
                @Override
                public Connection getConnection() throws SQLException {
                    Connection connection = database.server().connect(proxy.url(database.url()));
                    try (Statement statement = connection.createStatement()) { // takes a transaction of some statements
                        statement.execute("SET default_transaction_isolation = serializable");
                    }
                    return Sessions.withoutNetworkTimeout(connection, () -> {
                        if (stops.get()) { // at the reply to its command, and so before its COMMIT
                            proxy.holdAnswersTo("holdfast_execute");
                        }
                    });
                }
            };
            try (LockStore stopped = Opened.on(stopping, new Namespace("test"));
                    LockStore next = Opened.store(database.settings())) {
                granted(stopped, acquire("another", id()));
                stops.set(true);
                assertThatThrownBy(() -> stopped.execute(List.of(acquire("a", id())), Duration.ofSeconds(1)))
                        .isInstanceOf(LockUnavailableException.class);
                granted(next, acquire("a", id()));
            } finally {
                proxy.cut();
            }
        }
    }
}
