package dev.holdfast.lock.jdbc.contention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.JdbcLockStore;
import dev.holdfast.lock.jdbc.Opened;
import dev.holdfast.lock.jdbc.pool.AbstractDataSource;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.row.TurnPoller;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting in a database without notifications: one query for all waiters of a process, and none without waiters. */
@Tag("first-build")
@Timeout(300)
class PollingTest {

    /** A thousand waiters by a long build: keeping their places is too much for a machine that has other work, and is no poll. */
    private static final int NAMES = Integer.getInteger("lock.test.scale", 1) > 1 ? 100 : 20;

    private static final int WAITERS_PER_NAME = 10;
    private static final int MAX_POLLS_PER_SECOND = 20;
    private static final String POLLER = "holdfast-notifications"; // its thread

    private final H2Database database = H2Database.inMemory();
    private final AtomicInteger polls = new AtomicInteger();
    private final Set<Thread> pollers = ConcurrentHashMap.newKeySet();

    @Test
    void process_withHundredsOfWaiters_pollsTwentyTimesASecondAndNotAtAllWithoutThem() throws Exception {
        Properties patient =
                new Properties(); // a batch of hundreds may take seconds on a busy machine, which is no outage here
        patient.setProperty("lock.lease", "10m");
        patient.setProperty("lock.call-timeout", "1m");
        Properties strict = new Properties();
        strict.putAll(patient);
        strict.setProperty("lock.max-local-handoffs", "1"); // each waiter has a row of its own
        try (JdbcLockStore holders =
                        Opened.on(source(new AtomicInteger(), ConcurrentHashMap.newKeySet()), new Namespace("polled"));
                Locks others = Locks.open(holders, patient);
                JdbcLockStore store = Opened.on(source(polls, pollers), new Namespace("polled"));
                Locks locks = Locks.open(store, strict)) {
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Void>> waiters = new ArrayList<>();
            for (int name = 0; name < NAMES; name++) {
                held.add(others.named("name " + name).acquire());
            }
            assertThat(polls).as("polls without waiters").hasValue(0);
            while (waiters.size()
                    < NAMES * WAITERS_PER_NAME) { // not all at once, which a busy machine may not answer in time
                for (int name = 0; name < NAMES; name++) {
                    waiters.add(locks.named("name " + name)
                            .acquireAsync(Duration.ofMinutes(5))
                            .thenAccept(Lease::close));
                }
                Await.until("all wait", () -> {
                    assertThat(waiters.stream().filter(CompletableFuture::isDone))
                            .isEmpty();
                    return database.number("SELECT count(*) FROM holdfast_waiter") == waiters.size();
                });
            }
            long began = System.nanoTime();
            int before = polls.get();
            Await.until("some polls", () -> polls.get() >= before + 5);
            held.forEach(Lease::close);
            CompletableFuture.allOf(waiters.toArray(CompletableFuture[]::new)).get(4, TimeUnit.MINUTES);
            int made = polls.get() - before;
            double seconds = (System.nanoTime() - began) / 1e9;
            assertThat(made)
                    .as("polls in %s seconds, of which in some no lock changed and in some all did", seconds)
                    .isLessThanOrEqualTo((int) (MAX_POLLS_PER_SECOND * seconds) + 2);
            Await.until("the poller has ended", () -> pollers.stream().noneMatch(Thread::isAlive));
            int after = polls.get();
            others.named("alone").run(() -> {});
            locks.named("alone").run(() -> {});
            assertThat(polls).as("polls without waiters").hasValue(after);
        }
    }

    /** A loaded machine polls less often, whatever the pause, so that the count above may hide a shorter one. */
    @Test
    void pause_whateverHasChanged_isAtLeastFiftyMillisecondsAndGrowsToAQuarterOfASecond() throws SQLException {
        TurnPoller.Poll poll = new TurnPoller.Poll() {
            @Override
            public boolean read(Connections.Work<?> query) {
                return true;
            }

            @Override
            public void close() {}
        };
        assertThat(poll.pauseMillis(0)).isEqualTo(50);
        assertThat(poll.pauseMillis(1_000)).isEqualTo(50);
        assertThat(poll.pauseMillis(3_000)).isEqualTo(150);
        assertThat(poll.pauseMillis(600_000)).isEqualTo(250);
    }

    /** Counts the queries of the poller, one for each waiter among them. */
    private AbstractDataSource source(AtomicInteger counter, Set<Thread> threads) {
        return new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = database.connect();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("prepareStatement")
                                    && Thread.currentThread().getName().equals(POLLER)) {
                                threads.add(Thread.currentThread());
                                counter.incrementAndGet();
                            }
                            try {
                                return method.invoke(connection, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }
}
