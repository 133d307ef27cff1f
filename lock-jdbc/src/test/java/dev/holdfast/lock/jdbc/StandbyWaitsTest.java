package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Signals;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls that wait for a missing standby, beside others that need connections. */
@Tag("second-build")
class StandbyWaitsTest extends MissingStandby {

    @Test
    void waitingCalls_doNotExhaustTheServersConnections() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            granted(store, acquire("before", id()));
            takeStandbyAway();
            List<Future<?>> callers = new ArrayList<>();
            for (int caller = 0; caller < 8; caller++) {
                String name = "caller " + caller + " ";
                callers.add(threads.submit(() -> {
                    for (int call = 0; call < 10; call++) {
                        List<LockCommand> commands = List.of(acquire(name + call, id()));
                        assertThatThrownBy(() -> store.execute(commands, Duration.ofMillis(500)))
                                .isInstanceOf(LockUnavailableException.class);
                    }
                }));
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
            // Not 80: 8 that had waited for a second, and what the 8 callers gave up within that second.
            assertThat(Integer.parseInt(database.value("SELECT count(*) " + WAITING)))
                    .isLessThan(40);

            letStandbyBe(false);
            Await.until("it grants again", () -> {
                try {
                    return ask(store, acquire("after", id())) instanceof LockReply.Granted;
                } catch (LockUnavailableException e) {
                    return false; // a connection that a time-out broke
                }
            });
        }
    }

    @Test
    void call_whenOthersWaitedForLessThanItMayTake_isAdmitted() throws Exception {
        try (LockStore others = Opened.store(database.settings("lock.jdbc.pool-size", "8"));
                LockStore store = Opened.store(database.settings())) {
            breakACall(store);
            takeStandbyAway();
            List<Future<LockReply>> waiting = eightWait(others, 1);

            Future<LockReply> own = threads.submit(() -> ask(store, acquire("own", id())));
            Await.until("it waits, too", () -> own.isDone() || waits().equals("9"));
            letStandbyBe(false);
            assertThat(own.get()).isInstanceOf(LockReply.Granted.class);
            for (Future<LockReply> each : waiting) {
                assertThat(each.get()).isInstanceOf(LockReply.Granted.class);
            }
        }
    }

    @Test
    void probe_whenConfirmed_endsTheRefusals() throws Exception {
        assumeTrue(System.getProperty("lock.test.servers", "embedded").equals("embedded")); // its processes are ours
        LockStore others = Opened.store(database.settings("lock.jdbc.pool-size", "8"));
        try (LockStore store = Opened.store(database.settings())) {
            breakACall(store);
            takeStandbyAway();
            List<Future<LockReply>> waiting = eightWait(others, 2);
            // Frozen, they are not told that no standby is needed any more.
            List<ProcessHandle> frozen = Stream.of(database.value("SELECT string_agg(pid::text, ' ') " + WAITING)
                            .split(" "))
                    .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
                    .toList();
            Signals.send("STOP", frozen);
            try {
                letStandbyBe(false);
                AtomicInteger granted = new AtomicInteger();
                // One in ten seconds would not do.
                Await.until("it grants one after the other", () -> {
                    try {
                        store.execute(List.of(acquire("own " + granted, id())), Duration.ofSeconds(2));
                        return granted.incrementAndGet() == 20;
                    } catch (LockUnavailableException e) {
                        return false; // refused, or the machine stood still
                    }
                });
                assertThat(waits()).isEqualTo("8");
            } finally {
                Signals.send("CONT", frozen);
            }
            for (Future<LockReply> each : waiting) {
                assertThat(each.get()).isInstanceOf(LockReply.Granted.class);
            }
        } finally {
            others.close();
        }
    }

    /** The server ends its connection: to the client it may as well go on there, and wait for a standby. */
    private void breakACall(LockStore store) throws Exception {
        try (Connection blocking = database.connect();
                Statement statement = blocking.createStatement()) {
            blocking.setAutoCommit(false);
            statement.execute("LOCK TABLE holdfast_lock");
            Future<LockReply> broken = threads.submit(() -> ask(store, acquire("broken", id())));
            Await.until(
                    "it waits for the table",
                    () -> database.value("SELECT bool_or(pg_terminate_backend(pid)) FROM pg_stat_activity"
                                    + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                            != null);
            assertThatThrownBy(broken::get).hasCauseInstanceOf(LockUnavailableException.class);
            blocking.rollback();
        }
    }

    /** Each for so many seconds already. */
    private List<Future<LockReply>> eightWait(LockStore store, int seconds) {
        List<Future<LockReply>> waiting = new ArrayList<>();
        for (int call = 0; call < 8; call++) {
            String name = "waits " + call;
            waiting.add(threads.submit(() -> ask(store, acquire(name, id()))));
        }
        Await.until(
                "they wait for the standby",
                () -> database.value("SELECT count(*) " + WAITING + " AND query_start < clock_timestamp() - interval '"
                                + seconds + " seconds'")
                        .equals("8"));
        return waiting;
    }
}
