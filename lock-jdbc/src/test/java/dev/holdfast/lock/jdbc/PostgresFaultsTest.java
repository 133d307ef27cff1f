package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import dev.holdfast.lock.testing.OutageLines;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** A server that crashes and freezes, one call at a time. */
@Tag("first-build")
class PostgresFaultsTest {

    private static final Duration SHORT = Duration.ofMillis(500);
    /** However long a server takes to start. */
    private static final Duration LONG = Duration.ofHours(1);

    private static PostgresServer server;
    private static ExecutorService threads;

    @BeforeAll
    static void start() {
        server = PostgresServer.own();
        threads = Executors.newCachedThreadPool();
        assumeThat(server.canFail()).as("this server may be broken").isTrue();
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
        server.close();
    }

    @Test
    void grants_afterCrashWithLazyCommits_survive() throws Exception {
        Postgres database = Postgres.withTables(server).lazy();
        try (LockStore store = Opened.store(database.settings())) {
            for (int round = 0; round < 2; round++) {
                String lock = "crash " + round;
                AcquisitionId id = id();
                LockReply.Granted grant = granted(store, acquire(lock, id));
                granted(store, renew(lock, id, Duration.ofHours(1)));
                server.kill();
                server.start();
                answered(store, acquire(lock, id()), LockReply.Busy.class);
                LockReply.Granted again = answered(store, acquire(lock, id), LockReply.Granted.class);
                assertThat(again.token()).isEqualTo(grant.token());
                assertThat(again.remaining()).as("the renewal").isGreaterThan(LEASE);
            }
            AcquisitionId kept = id();
            granted(store, acquire("kept", kept));
            answered(store, release("kept", kept, Duration.ofHours(1), Duration.ZERO), LockReply.Released.class);
            server.kill();
            server.start();
            answered(store, renew("kept", kept, LEASE), LockReply.Gone.class); // as a minimum hold, not as a lease
            answered(store, acquire("kept", id()), LockReply.Busy.class);
        }
    }

    @Test
    void command_whenTheServerIsDown_failsWithTheRootCauseFirst() throws Exception {
        Map<String, String> settings = Postgres.withTables(server).settings();
        String cause = "a call to " + settings.get("lock.jdbc.url") + " failed: " + server.refusal();
        try (LockStore store = Opened.store(settings)) {
            server.kill();
            Await.until("the driver says that nothing answers", () -> {
                try {
                    store.execute(List.of(acquire("down", id())), SHORT);
                    return false;
                } catch (LockUnavailableException e) {
                    return e.getMessage().contains("Connection is not available")
                            && e.getMessage().startsWith(cause);
                }
            });
            server.start();
        }
    }

    @Test
    void command_whenRepeatedAfterACrash_getsTheSameReply() throws Exception {
        Postgres database = Postgres.withTables(server);
        try (PostgresProxy proxy = new PostgresProxy(server);
                LockStore store = Opened.store(database.settings("lock.jdbc.url", proxy.url(database.url())))) {
            AcquisitionId id = id();
            lost(store, proxy, acquire("lost answer", id, LONG));
            LockReply.Granted grant = answered(store, acquire("lost answer", id), LockReply.Granted.class);
            assertThat(grant.remaining()).as("what remains, not the length").isLessThan(LONG);
            answered(store, acquire("lost answer", id()), LockReply.Busy.class);

            lost(store, proxy, renew("lost answer", id, LONG.multipliedBy(2)));
            assertThat(answered(store, acquire("lost answer", id), LockReply.Granted.class)
                            .remaining())
                    .isGreaterThan(LONG);

            lost(store, proxy, release("lost answer", id));
            LockReply.Released released =
                    answered(store, release("lost answer", id, Duration.ZERO, LONG), LockReply.Released.class);
            // Releases are lazy: whether the first one survived is for the server to say, but it is over now.
            assertThat(released).isIn(new LockReply.Released(true), new LockReply.Released(false));
            answered(store, acquire("lost answer", id), LockReply.Gone.class);
            assertThat(answered(store, acquire("lost answer", id()), LockReply.Granted.class)
                            .token())
                    .isGreaterThan(grant.token());
        }
    }

    /** Has a step carried out and committed, and its answer lost with the server. */
    private static void lost(LockStore store, PostgresProxy proxy, LockCommand command) throws Exception {
        PostgresProxy.Hold hold = proxy.holdAnswersTo(command.name().value());
        Future<LockReply> answer = threads.submit(() -> ask(store, command));
        assertThat(hold.awaitAnswer(Await.HANG.toMillis()))
                .as("the server has committed")
                .isTrue();
        server.kill();
        proxy.cut();
        assertThatThrownBy(answer::get).hasCauseInstanceOf(LockUnavailableException.class);
        server.start();
    }

    /** Asks until there is an answer, as the engine does; connections that the crash cut have to be found out one by one. */
    private static <T extends LockReply> T answered(LockStore store, LockCommand command, Class<T> type) {
        Object[] answer = new Object[1];
        Await.until("an answer to " + command, () -> {
            try {
                answer[0] = ask(store, command);
                return true;
            } catch (LockUnavailableException e) {
                return false;
            }
        });
        assertThat(answer[0]).isInstanceOf(type);
        return type.cast(answer[0]);
    }

    @Test
    void call_whenServerIsFrozen_timesOutAndDropsTheConnection() throws Exception {
        Postgres database = Postgres.withTables(server);
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId held = id();
            granted(store, acquire("frozen", held));
            AcquisitionId ghost = id();
            server.freeze();
            try {
                // Once on a connection that hangs, then without getting one.
                for (Function<String, LockCommand> each : List.<Function<String, LockCommand>>of(
                        name -> renew(name, held, LEASE), name -> acquire(name, ghost), name -> release(name, held))) {
                    assertThatThrownBy(() -> store.execute(List.of(each.apply("frozen")), SHORT))
                            .isInstanceOf(LockUnavailableException.class);
                }
            } finally {
                server.thaw();
            }
            answered(store, renew("frozen", held, LEASE), LockReply.class);
            answered(store, release("frozen", held, Duration.ZERO, LEASE), LockReply.Released.class);
            answered(store, release("frozen", ghost, Duration.ZERO, LEASE), LockReply.Released.class);
            answered(store, acquire("frozen", id()), LockReply.Granted.class);
            answered(store, acquire("frozen", ghost), LockReply.Gone.class);
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void outage_underALease_isLoggedOncePerState() {
        Properties settings = new Properties();
        settings.putAll(Postgres.withTables(server).settings("lock.provider", "jdbc"));
        OutageLines.areLogged(settings, server::kill, server::start);
    }

    @Test
    void frozenServer_notifiesTheHolderOfItsLossAndIsUnavailableToOthers() throws Exception {
        Postgres database = Postgres.withTables(server);
        Properties properties = new Properties();
        properties.putAll(database.settings(
                "lock.provider", "jdbc", "lock.namespace", "test", "lock.lease", "6s", "lock.call-timeout", "2s"));
        try (Locks mine = LocksOpener.open(properties);
                Locks others = LocksOpener.open(properties)) {
            Lease lease = Await.lease(mine.named("frozen"));
            AtomicInteger losses = new AtomicInteger();
            lease.onLost(loss -> losses.incrementAndGet());
            server.freeze();
            try {
                assertThatThrownBy(() -> others.named("frozen").tryAcquire())
                        .isInstanceOf(LockUnavailableException.class);
                Await.until("the holder hears of its loss", () -> losses.get() == 1);
                assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            } finally {
                server.thaw();
            }
            try (Lease next = Await.lease(others.named("frozen").withLease(Duration.ofMinutes(5)))) {
                assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
                assertThat(lease.isHeld()).isFalse();
                next.ensureHeld();
            }
            assertThat(losses).hasValue(1);
        }
    }
}
