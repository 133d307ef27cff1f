package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.mysql.MySqlDialect;
import dev.holdfast.lock.jdbc.mysql.MySqlType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.row.TurnPoller;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.SteppedClock;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many rows MariaDB reads for a poll, by the server's own counters. */
@Tag("first-build")
@Timeout(300)
class TurnPollerCostsTest {

    private static final int OWN = 5;

    /** For each lock: its row, the end of its part of the index, and the clock. The counters add a few of their own. */
    private static final int READS_OF_OWN = 10 * OWN;

    private static final String READS =
            "SELECT sum(variable_value) FROM information_schema.session_status WHERE variable_name LIKE 'HANDLER_READ%'";

    private final MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());
    private final ReceivedNotifications heard = new ReceivedNotifications();
    private final List<Long> reads = new CopyOnWriteArrayList<>();
    private LockStore store;

    @BeforeEach
    void open() throws SQLException {
        new SteppedClock(database.connect()).close(); // stands still from now on
        Dialect dialect = new MySqlDialect(false);
        Dialect watched = (Dialect) Proxy.newProxyInstance(
                Dialect.class.getClassLoader(), new Class<?>[] {Dialect.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("poll")) {
                        return new CountedPoll(TurnPoller.Poll.on((Connections) arguments[1], dialect));
                    }
                    try {
                        return method.invoke(dialect, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        store = Opened.stepped(new MySqlType(), watched, database.settings());
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Records what a poll reads, beyond what reading the counters does. */
    private final class CountedPoll implements TurnPoller.Poll {

        private final TurnPoller.Poll poll;

        CountedPoll(TurnPoller.Poll poll) {
            this.poll = poll;
        }

        @Override
        public boolean read(Connections.Work<?> query) throws SQLException {
            return poll.read(connection -> {
                long first = reads(connection);
                long second = reads(connection);
                query.on(connection);
                reads.add(reads(connection) - second - (second - first));
                return null;
            });
        }

        private static long reads(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(READS)) {
                row.next();
                return row.getLong(1);
            }
        }

        @Override
        public void close() throws SQLException {
            poll.close();
        }
    }

    @Test
    void poll_whenThousandsWaitInOtherProcesses_readsTheLocksOfItsOwnOnly() throws Exception {
        List<AcquisitionId> holders = new CopyOnWriteArrayList<>();
        List<AcquisitionId> waiters = new CopyOnWriteArrayList<>();
        for (int name = 0; name < OWN; name++) {
            holders.add(id());
            waiters.add(id());
            granted(store, acquire("own:" + name, holders.get(name)));
            ask(store, queue("own:" + name, waiters.get(name)));
        }
        othersWait("own:", OWN, 20);
        othersWait("others:", 200, 20);
        database.execute("ANALYZE TABLE holdfast_lock, holdfast_waiter");
        store.subscribe(heard);
        heard.awaitAny();
        awaitPolls(3);
        assertThat(reads).as("rows read by each poll, while all are held").allMatch(count -> count <= READS_OF_OWN);
        for (int name = 0; name < OWN; name++) {
            ask(store, release("own:" + name, holders.get(name)));
        }
        for (int name = 0; name < OWN; name++) {
            heard.awaitTurn("own:" + name, waiters.get(name));
        }
        awaitPolls(3);
        assertThat(reads).as("rows read by each poll, until all are free").allMatch(count -> count <= READS_OF_OWN);
    }

    @Test
    void poll_afterTheLastOwnWaiterIsServed_readsNothing() {
        AcquisitionId holder = id();
        AcquisitionId waiter = id();
        granted(store, acquire("own:0", holder));
        ask(store, queue("own:0", waiter));
        othersWait("own:", 1, 20);
        store.subscribe(heard);
        heard.awaitAny();
        ask(store, release("own:0", holder));
        heard.awaitTurn("own:0", waiter);
        granted(store, queue("own:0", waiter));
        Await.until("a poll reads nothing", () -> reads.get(reads.size() - 1) <= 0);
    }

    private void awaitPolls(int more) {
        int before = reads.size();
        Await.until("the poller has polled", () -> reads.size() >= before + more);
    }

    /** As if so many other processes waited for each of these locks, which are held if they are new. */
    private void othersWait(String prefix, int names, int processes) {
        String now = "(SELECT micros FROM stepped_clock)";
        try {
            database.execute(
                    "INSERT IGNORE INTO holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state)"
                            + " SELECT 'test', CONCAT('" + prefix + "', seq - 1), 1, UNHEX(MD5(seq)), 'x', 0, " + now
                            + " + 3600000000, 'held' FROM seq_1_to_" + names);
            database.execute("INSERT INTO holdfast_waiter (namespace, name, position, id, owner, seen_at)"
                    + " SELECT 'test', CONCAT('" + prefix
                    + "', n.seq - 1), 10 + p.seq, UNHEX(MD5(CONCAT(n.seq, '-', p.seq))), 'x', "
                    + now + " FROM seq_1_to_" + names + " n, seq_1_to_" + processes + " p");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
