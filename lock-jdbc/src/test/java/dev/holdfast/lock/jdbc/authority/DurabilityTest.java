package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.authority.Authority.AUTHORITY_LEASE;
import static dev.holdfast.lock.jdbc.authority.Authority.REPLICATION_ID;
import static dev.holdfast.lock.jdbc.authority.Authority.carried;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transitions and assertions survive a crash, even with a role's weak settings. */
@Tag("first-build")
class DurabilityTest {

    /** However long a server takes to start. */
    private static final Duration LONG = Duration.ofHours(1);

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.own();
        assumeTrue(server.canFail());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void transitionsAndAssertions_afterCrash_survive() throws SQLException {
        try (Authority authority = Authority.on(Postgres.withTables(server).lazy())) {
            AuthorityState founded = authority.store().initialize(AUTHORITY_LEASE, 0, CALL);
            crash(authority, founded);
            AcquisitionId granted = id();
            authority.granted(1, acquire("a", granted, LONG));
            crash(authority, authority.pass(new Transition.BeginFailback(1, REPLICATION_ID)));
            assertThat(authority.held(2))
                    .singleElement()
                    .satisfies(each -> assertThat(each.id()).isEqualTo(granted));
            crash(authority, authority.pass(new Transition.AbortFailback(2, "aborted")));
            authority.pass(new Transition.BeginFailback(3, REPLICATION_ID));
            crash(authority, authority.pass(new Transition.ActivatePrimary(4)));
            crash(authority, authority.pass(new Transition.DrainPrimary(4, "fell")));

            AcquisitionId survivor = id();
            AcquisitionId released = id();
            assertThat(authority.assertOne(5, carried("b", survivor, 5, LONG))).isInstanceOf(LockReply.Granted.class);
            crash(authority, authority.state());
            assertThat(authority.assertOne(5, carried("b", id(), 6))).isInstanceOf(LockReply.Gone.class);
            authority.ask(5, release("c", released, Duration.ZERO, LONG));
            crash(authority, authority.state());
            assertThat(authority.assertOne(5, carried("c", released, 7))).isInstanceOf(LockReply.Gone.class);
            crash(authority, authority.pass(new Transition.ActivateFallback(5)));
            assertThat(authority.state().phase()).isEqualTo(FailoverPhase.FALLBACK);
        }
    }

    private static void crash(Authority authority, AuthorityState before) {
        server.kill();
        server.start();
        Await.until(
                "it answers again",
                () -> { // connections that the crash cut have to be found out one by one, of either pool
                    try {
                        return authority.store().peek(CALL).isPresent()
                                && authority.store().highestToken(CALL) > 0; // that of the commands
                    } catch (LockUnavailableException e) {
                        return false;
                    }
                });
        assertThat(authority.state()).isEqualTo(before);
    }

    /** As an old primary server is that the network cut off from its synchronous standbys. */
    @Test
    void readState_whenSynchronousStandbysAreGone_getsNoReply() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Authority authority = Authority.founded(Postgres.withTables(server).lazy())) {
            AcquisitionId member = id();
            authority.read(member, 0);
            Postgres any = Postgres.withTables(server);
            any.execute("ALTER SYSTEM SET synchronous_standby_names = 's1'");
            any.execute("SELECT pg_reload_conf()");
            AtomicReference<Future<?>> reading = new AtomicReference<>(threads.submit(() -> authority.read(member, 0)));
            try {
                Await.until("an answer waits for a standby", () -> {
                    if (reading.get().isDone()) { // the server has not read its configuration yet
                        reading.get().get();
                        reading.set(threads.submit(() -> authority.read(member, 0)));
                    }
                    return any.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                            .equals("1");
                });
                assertThat(reading.get()).isNotDone();
                any.value("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
                assertThatThrownBy(reading.get()::get).hasCauseInstanceOf(LockUnavailableException.class);
            } finally {
                any.execute("ALTER SYSTEM RESET synchronous_standby_names");
                any.execute("SELECT pg_reload_conf()");
            }
            authority.read(member, 0);
        } finally {
            threads.shutdownNow();
        }
    }
}
