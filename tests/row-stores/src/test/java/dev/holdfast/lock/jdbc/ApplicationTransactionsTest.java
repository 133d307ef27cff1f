package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The store's transactions on the application's connections to MariaDB or H2. */
@Tag("second-build")
@Timeout(300)
class ApplicationTransactionsTest {

    private static final Namespace NAMESPACE = new Namespace("test");

    /** A database, and a query for the number of transactions in it that wait for a row. */
    static Stream<Arguments> databases() {
        return Stream.of(
                Arguments.of(
                        MariaDbDatabase.of(MariaDbServer.shared()),
                        "SELECT count(*) FROM (SELECT trx_isolation_level AS isolation_level FROM"
                                + " information_schema.innodb_trx JOIN information_schema.processlist"
                                + " ON id = trx_mysql_thread_id WHERE db = DATABASE() AND trx_state = 'LOCK WAIT') t WHERE TRUE"),
                Arguments.of(
                        H2Database.inMemory(),
                        "SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL"));
    }

    /** Some pools reset nothing: the transaction would go on in the application's next one, and the row stay locked till then. */
    @ParameterizedTest
    @MethodSource("databases")
    void batch_whenARowStaysLocked_leavesTheirConnectionsWithoutATransaction(RowDatabase database, String ignored)
            throws Exception {
        try (LockStore rows = Opened.store(database.settings())) {
            LockedRow.makeRows(rows, "row a", "row b");
        }
        try (TransactionBoundDataSource source = new TransactionBoundDataSource(database::connect);
                LockStore store = Opened.on(source, NAMESPACE);
                LockedRow other = new LockedRow(database, "row b")) {
            LockedRow.expectOthersGranted(store, "row a", "row b");
            other.lock("row a"); // waits for as long as a transaction has it
        }
    }

    /** At another level a transaction that has waited for a row reads the queue as it was before, or locks gaps between rows. */
    @ParameterizedTest
    @MethodSource("databases")
    void transaction_whateverTheIsolationOfTheirPool_isReadCommitted(RowDatabase database, String countBlocked)
            throws Exception {
        try (LockStore rows = Opened.store(database.settings())) {
            LockedRow.makeRows(rows, "isolated");
        }
        try (HikariDataSource source = ApplicationPoolsTest.pool(database, 2);
                LockStore store = Opened.on(source, NAMESPACE);
                LockedRow other = new LockedRow(database, "isolated")) {
            CompletableFuture<LockReply> reply =
                    CompletableFuture.supplyAsync(() -> ask(store, acquire("isolated", id())), OwnThread.EACH);
            database.awaitBlocked("isolated", 1);
            Await.until("in READ COMMITTED", () -> {
                LockSupport.parkNanos(
                        TimeUnit.MILLISECONDS.toNanos(200)); // MariaDB shows again what was read within 0.1 s
                return database.blocked(countBlocked + " AND isolation_level = 'READ COMMITTED'") == 1;
            });
            other.commit();
            assertThat(reply.get()).isInstanceOf(LockReply.Granted.class);
        }
    }
}
