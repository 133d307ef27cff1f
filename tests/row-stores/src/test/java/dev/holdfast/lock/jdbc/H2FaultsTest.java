package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Errors as H2 has them: deadlocks, and rows that stay locked. */
@Tag("second-build")
@Timeout(300)
class H2FaultsTest {

    private final RowDatabase database = H2Database.inMemory();
    private LockStore store;

    @BeforeEach
    void makeRows() {
        store = Opened.store(database.settings());
        LockedRow.makeRows(store, "row a", "row b", "row c");
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** As H2 fails to read its sessions, and with them the clock, if another session ends its transaction just then. */
    @Test
    void list_whenSessionsCannotBeRead_readsThemAgain() throws SQLException {
        AtomicInteger failures = new AtomicInteger();
        DataSource source = new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = database.connect();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("prepareStatement") && failures.getAndDecrement() > 0) {
                                throw new SQLException("\"this.transaction\" is null", "HY000", 50000);
                            }
                            return method.invoke(connection, arguments);
                        });
            }
        };
        try (LockStore listed = Opened.on(source, new Namespace("listed"))) {
            granted(listed, acquire("one", id()));
            failures.set(2);
            try (Stream<LockInfo> locks = listed.list("", Commands.CALL)) {
                assertThat(locks).hasSize(1);
            }
            assertThat(failures.get()).isNegative();
        }
    }

    @Test
    void batch_whenARowStaysLocked_executesTheOthersAndLeavesNoLock() throws Exception {
        try (LockedRow stranger = new LockedRow(database, "row b")) {
            LockedRow.expectOthersGranted(store, "row a", "row b");
            stranger.lock("row a"); // waits for as long as a transaction has it
        }
        granted(store, acquire("row b", id()));
    }
}
