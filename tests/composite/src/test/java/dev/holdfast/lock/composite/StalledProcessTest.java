package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A process that was suspended for longer than an authority lease does not know which store grants. It reads the authority state,
 * and its commands wait for the reply instead of being refused. On real stores and a clock that the test sets ahead.
 */
@Tag("first-build")
class StalledProcessTest {

    private static final AtomicInteger SPACES = new AtomicInteger();
    private static Servers servers;

    private static final Duration LEASE = Duration.ofMinutes(2);
    private static final Timing TIMING = new Timing(LEASE);

    private final TestMember.SettableClock clock = new TestMember.SettableClock();
    private final Namespace namespace = new Namespace("stood-still-" + SPACES.incrementAndGet());
    private final Config config = Servers.config(servers.configuration("composite", LEASE.toSeconds() + "s"));
    private final CompositeLockStore others = CompositeLockProvider.open(namespace, config, TIMING, Clock.SYSTEM, true);
    private final AuthorityStore authority = new JdbcLockProvider().openAuthority(namespace, config, false);
    private final PrimaryStore primary =
            new RedisLockProvider().primary(namespace, config).get();
    private final DelayedPrimary delayed = new DelayedPrimary(primary);
    private final TestMember member = new TestMember(1, TIMING, clock, delayed.store(), authority);

    @BeforeAll
    static void start() {
        servers = new Servers(RedisServer.own());
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @BeforeEach
    void learnAuthorityState() throws Exception {
        assertThat(others.isIn(FailoverPhase.PRIMARY)).isTrue();
        read(Duration.ofMinutes(1));
        assertThat(member.execute(acquiring("before"))).isInstanceOf(LockReply.Granted.class);
    }

    @AfterEach
    void close() {
        member.close();
        authority.close();
        others.close();
    }

    @Test
    void execute_whenAuthorityLeaseHasLapsed_waitsForTheNextRead() throws Exception {
        clock.advance(LEASE.multipliedBy(2));

        FutureTask<LockReply> call = startAcquire("job");
        assertThat(call.isDone()).isFalse();
        read(Duration.ofMinutes(1));

        assertThat(call.get(60, TimeUnit.SECONDS)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void execute_whenGrantArrivesAfterTheAuthorityLease_isSentAgain() throws Exception {
        delayed.meanwhile(() -> clock.advance(LEASE.multipliedBy(2)));

        FutureTask<LockReply> call = startAcquire("job");
        assertThat(call.isDone()).isFalse();
        delayed.meanwhile(() -> {});
        read(Duration.ofMinutes(1));

        assertThat(call.get(60, TimeUnit.SECONDS)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void execute_whenAuthorityIsDown_isUnavailableAtOnce() throws Exception {
        servers.postgres().kill();
        try {
            clock.advance(LEASE.multipliedBy(2));
            FutureTask<LockReply> waiting = startAcquire("job");
            read(Duration.ofSeconds(1));

            assertThat(waiting.get(60, TimeUnit.SECONDS)).isInstanceOf(LockReply.Unavailable.class);
            FutureTask<LockReply> later = startAcquire("other");
            assertThat(later.get(60, TimeUnit.SECONDS)).isInstanceOf(LockReply.Unavailable.class);
        } finally {
            servers.postgres().start();
        }
    }

    /** The caller has to learn that the command may have been carried out. */
    @Test
    void execute_whenReplyIsLost_isNotRepeated() throws Exception {
        delayed.meanwhile(() -> {
            clock.advance(LEASE.multipliedBy(2));
            throw new IllegalStateException("the answer is lost");
        });

        FutureTask<LockReply> call = start(() -> member.execute(releasing("before")));

        assertThat(call.get(60, TimeUnit.SECONDS)).isInstanceOf(LockReply.Unavailable.class);
    }

    /** A release needs no authority lease, but does not overtake an acquire that does. */
    @Test
    void execute_whenBatchWaits_keepsTheOrderPerLock() throws Exception {
        clock.advance(LEASE.multipliedBy(2));

        FutureTask<List<LockReply>> call = start(() -> member.execute(List.of(acquiring("job"), releasing("job"))));
        assertThat(call.isDone()).isFalse();
        read(Duration.ofMinutes(1));

        assertThat(call.get(60, TimeUnit.SECONDS))
                .satisfiesExactly(
                        granted -> assertThat(granted).isInstanceOf(LockReply.Granted.class),
                        released -> assertThat(released).isEqualTo(new LockReply.Released(true)));
    }

    private FutureTask<LockReply> startAcquire(String name) {
        return start(() -> member.execute(acquiring(name)));
    }

    /** On a thread that waits, or has its reply. */
    private static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "caller");
        thread.start();
        Await.until(
                "the call waits, or has its reply",
                () -> task.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
        return task;
    }

    private static LockCommand.Acquire acquiring(String name) {
        return new LockCommand.Acquire(new LockName(name), id(name), Duration.ofHours(1), false, 0, "test");
    }

    private static LockCommand.Release releasing(String name) {
        return new LockCommand.Release(new LockName(name), id(name), Duration.ZERO, Duration.ZERO);
    }

    private static AcquisitionId id(String name) {
        return new AcquisitionId(2, name.hashCode());
    }

    /** Reads the authority state, once. */
    private void read(Duration timeout) throws InterruptedException {
        member.runNextAuthorityTask(timeout);
    }
}
