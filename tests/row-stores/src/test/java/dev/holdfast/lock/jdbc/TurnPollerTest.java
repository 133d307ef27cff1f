package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.h2.H2Dialect;
import dev.holdfast.lock.jdbc.h2.H2Type;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.row.TurnPoller;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.SteppedClock;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the poller of turns reads and what it tells then, in a dialect whose polls a test watches. */
@Tag("first-build")
@Timeout(300)
class TurnPollerTest {

    /** Two values that were recorded beside each other differ. */
    private static final long PAUSE_MILLIS = 2;

    private final H2Database database = H2Database.inMemory();
    private final ReceivedNotifications heard = new ReceivedNotifications();
    private final List<Integer> heardBeforeReads = new CopyOnWriteArrayList<>();
    private final List<Pause> pauses = new CopyOnWriteArrayList<>();
    private SteppedClock clock;
    private LockStore store;

    /** @param unchangedMillis how long nothing has changed, as the poller says at the time {@code nanos} */
    private record Pause(long unchangedMillis, long nanos) {
        long unchangedSince() {
            return nanos - TimeUnit.MILLISECONDS.toNanos(unchangedMillis);
        }
    }

    /** Polls as by default, with short pauses. */
    private final class WatchedPoll implements TurnPoller.Poll {

        private final TurnPoller.Poll poll;

        WatchedPoll(Connections connections, Dialect dialect) throws SQLException {
            poll = TurnPoller.Poll.on(connections, dialect);
        }

        @Override
        public boolean read(Connections.Work<?> query) throws SQLException {
            heardBeforeReads.add(heard.count());
            return poll.read(query);
        }

        @Override
        public long pauseMillis(long unchangedMillis) {
            pauses.add(new Pause(unchangedMillis, System.nanoTime()));
            return PAUSE_MILLIS;
        }

        @Override
        public void close() throws SQLException {
            poll.close();
        }
    }

    @BeforeEach
    void open() throws SQLException {
        clock = new SteppedClock(database.connect()); // stands still unless a test steps it
        Dialect dialect = new H2Dialect(new JdbcUrl(database.url()));
        Dialect watched = (Dialect) Proxy.newProxyInstance(
                Dialect.class.getClassLoader(), new Class<?>[] {Dialect.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("poll")) {
                        return new WatchedPoll((Connections) arguments[1], dialect);
                    }
                    try {
                        return method.invoke(dialect, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        store = Opened.stepped(new H2Type(), watched, database.settings());
        store.subscribe(heard);
        heard.awaitAny();
    }

    @AfterEach
    void close() {
        store.close();
        clock.close();
    }

    private void awaitPauses(int more) {
        int before = pauses.size();
        Await.until("the poller has polled", () -> pauses.size() >= before + more);
    }

    /** A waiter that has asked before it would not learn of a release between the notification and the first read. */
    @Test
    void notificationOfAll_followsTheFirstRead() {
        assertThat(heardBeforeReads.get(0)).isZero();
    }

    @Test
    void timeWithoutChange_whileNoTurnComesOrGoes_grows() {
        awaitPauses(10);
        assertThat(pauses).extracting(Pause::unchangedMillis).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void timeWithoutChange_whenATurnComes_beginsAnew() {
        AcquisitionId holder = id();
        AcquisitionId waiter = id();
        granted(store, acquire("waited for", holder));
        ask(store, queue("waited for", waiter));
        awaitPauses(2);
        long before = System.nanoTime();
        ask(store, release("waited for", holder));
        heard.awaitTurn("waited for", waiter);
        awaitPauses(1);
        assertThat(pauses.get(pauses.size() - 1).unchangedSince()).isGreaterThanOrEqualTo(before);
    }

    /** Each release with a minimum hold tells the first waiter anew: it has been told that a lease is in its way for longer. */
    @Test
    void releasesOfShares_withMinimumHolds_notifyTheFirstWaiterEachTime() {
        List<AcquisitionId> readers = List.of(id(), id());
        AcquisitionId writer = id();
        readers.forEach(each -> granted(store, read(each)));
        ask(store, queue("read", writer));
        for (AcquisitionId reader : readers) {
            int before = heard.count();
            clock.step(Duration.ofSeconds(1));
            ask(
                    store,
                    new LockCommand.Release(
                            new LockName("read"), reader, Duration.ofMinutes(1), Duration.ZERO, Share.shared()));
            heard.await(Notification.of(new LockName("read"), writer), before);
        }
    }

    private static LockCommand.Acquire read(AcquisitionId id) {
        return new LockCommand.Acquire(
                new LockName("read"), id, Commands.LEASE, false, 0, "a test that reads", Share.shared());
    }
}
