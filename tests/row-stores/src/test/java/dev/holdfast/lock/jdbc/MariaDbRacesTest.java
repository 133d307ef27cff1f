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
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.jdbc.server.SteppedClock;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Another process changes a row between two statements of a transaction: just before the second one reaches the server. */
@Tag("second-build")
@Timeout(300)
class MariaDbRacesTest {

    private static RowDatabase database;

    private final AtomicReference<String> awaited = new AtomicReference<>("");
    private final AtomicInteger interventions = new AtomicInteger();
    private SteppedClock clock;

    private static final String FINDS_IDLE = "FORCE INDEX (holdfast_lock_expires_at)";

    @BeforeAll
    static void makeDatabase() {
        database = MariaDbDatabase.of(MariaDbServer.shared());
    }

    @BeforeEach
    void makeClock() throws SQLException {
        clock = new SteppedClock(database.connect());
    }

    @AfterEach
    void closeClock() {
        clock.close();
    }

    /** Runs the action before the first request with the awaited text goes on to the server. */
    private FaultyProxy before(Runnable action) {
        return new FaultyProxy(database.address(), () -> (direction, bytes, length) -> {
            String text = awaited.get();
            if (direction == Direction.TO_SERVER
                    && !text.isEmpty()
                    && new String(bytes, 0, length, StandardCharsets.ISO_8859_1).contains(text)
                    && awaited.compareAndSet(text, "")) {
                action.run();
                interventions.incrementAndGet();
            }
        });
    }

    /** A store on the clock of the test, which prunes after each release. */
    private static LockStore store(String url) {
        return Opened.stepped(new MySqlType(), new MySqlDialect(true), database.settings("lock.jdbc.url", url));
    }

    @Test
    void acquire_whenAnotherStoreCreatesAndHoldsTheRowMeanwhile_isRefused() {
        AcquisitionId holder = id();
        try (LockStore other = store(database.settings().get("lock.jdbc.url"));
                FaultyProxy proxy = before(() -> granted(other, acquire("created twice", holder)));
                LockStore store = store(database.urlThrough(proxy.port()))) {
            awaited.set("ON DUPLICATE KEY");
            assertThat(ask(store, acquire("created twice", id()))).isInstanceOf(LockReply.Busy.class);
            assertThat(interventions).hasValue(1);
            assertThat(ask(other, release("created twice", holder))).isEqualTo(new LockReply.Released(true));
        }
    }

    /** The row is idle when the pruning begins, but not when it looks for idle rows. */
    @Test
    void pruning_whenAnIdleLockIsAcquiredMeanwhile_leavesItsRow() {
        AcquisitionId holder = id();
        try (LockStore other = store(database.settings().get("lock.jdbc.url"));
                FaultyProxy proxy = before(() -> granted(other, acquire("found idle", holder)))) {
            try (LockStore pruning = store(database.urlThrough(proxy.port()))) {
                pruneIdle(pruning, "found idle", FINDS_IDLE);
            } // after the round
            assertThat(ask(other, acquire("found idle", id()))).isInstanceOf(LockReply.Busy.class);
            assertThat(ask(other, release("found idle", holder))).isEqualTo(new LockReply.Released(true));
        }
    }

    /** It waits until the row is gone, and the token floor has risen by then. */
    @Test
    void acquire_whenPruningRemovesTheRowMeanwhile_isGrantedAGreaterToken() throws Exception {
        AtomicReference<CompletableFuture<LockReply.Granted>> acquired = new AtomicReference<>();
        try (LockStore other = store(database.settings().get("lock.jdbc.url"));
                FaultyProxy proxy = before(() -> {
                    acquired.set(CompletableFuture.supplyAsync(
                            () -> granted(other, acquire("removed", id())), OwnThread.EACH));
                    database.awaitBlocked("removed", 1);
                });
                LockStore pruning = store(database.urlThrough(proxy.port()))) {
            long token = pruneIdle(pruning, "removed", "DELETE l FROM holdfast_lock");
            assertThat(acquired.get().get().token()).isGreaterThan(token);
        }
    }

    /** Leaves an idle row, whose token is returned, and has it pruned, with the intervention before the text is sent. */
    private long pruneIdle(LockStore pruning, String lock, String text) {
        AcquisitionId before = id();
        long token = granted(pruning, acquire(lock, before)).token();
        ask(pruning, release(lock, before));
        clock.step(Duration.ofMinutes(2));
        awaited.set(text);
        Await.until("the pruning has come so far", () -> {
            AcquisitionId busy = id();
            granted(pruning, acquire("busy", busy));
            ask(pruning, release("busy", busy)); // a round follows, unless one is under way
            return interventions.get() == 1;
        });
        return token;
    }

    /** The pruning store reads the clock, then finds a waiter that came later, and takes its time for one before a clock was set back. */
    @Test
    void pruning_whenAWaiterQueuesMeanwhile_leavesItsPlace() {
        AcquisitionId holder = id();
        AcquisitionId waiter = id();
        try (LockStore other = store(database.settings().get("lock.jdbc.url"));
                FaultyProxy proxy = before(() -> {
                    clock.step(Duration.ofMillis(1));
                    ask(other, queue("waited for", waiter));
                })) {
            granted(other, acquire("waited for", holder));
            try (LockStore pruning = store(database.urlThrough(proxy.port()))) {
                awaited.set("w CROSS JOIN holdfast_lock"); // the search for dead waiters
                AcquisitionId busy = id();
                granted(pruning, acquire("busy", busy));
                ask(pruning, release("busy", busy)); // a round follows
                Await.until("the pruning searches", () -> interventions.get() == 1);
            } // after the round
            ask(other, release("waited for", holder));
            assertThat(ask(other, queue("waited for", id()))).isInstanceOf(LockReply.Queued.class);
            assertThat(ask(other, queue("waited for", waiter))).isInstanceOf(LockReply.Granted.class);
        }
    }
}
