package dev.holdfast.lock.composite.faults;

import static dev.holdfast.lock.composite.faults.Composites.LONG;
import static dev.holdfast.lock.composite.faults.Composites.TIMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.FailoverEvent.Kind;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/** What a holder, a waiter and a release see of a failover. */
@Tag("first-build")
@Execution(ExecutionMode.CONCURRENT)
class FailoverTest {

    private static final Composites COMPOSITES = Composites.shared();

    @Test
    void failover_whenRedisIsFlushed_isImmediateAndKeepsTheLease() throws Exception {
        try (RedisServer flushed = RedisServer.own();
                RedisClient client = flushed.client()) {
            Properties configuration = COMPOSITES.configuration("flushed");
            configuration.setProperty("lock.redis.uri", flushed.uri());
            try (Locks locks = COMPOSITES.open(configuration)) {
                assertLeaseSurvives("flushed", locks, client::flushAll);
            }
        }
    }

    @Test
    void failover_whenTheMarkIsLost_isImmediateAndKeepsTheLease() throws Exception {
        try (Locks locks = COMPOSITES.open("unmarked")) {
            assertLeaseSurvives("unmarked", locks, () -> COMPOSITES.removeMark("unmarked"));
        }
    }

    private static void assertLeaseSurvives(String namespace, Locks locks, Runnable fault) throws Exception {
        EventRecorder events = EventRecorder.of(locks);
        Lease lease = locks.named("job").acquire(LONG);
        AtomicInteger losses = new AtomicInteger();
        lease.onLost(loss -> losses.incrementAndGet());

        fault.run();
        startAcquire(locks);
        assertThat(events.await(Kind.PRIMARY_DRAINING).transferredLeases()).isOne();
        Lease other =
                COMPOSITES.passUntilGranted(namespace, locks.named("other").acquireAsync(LONG));

        assertThat(events.await(Kind.FALLBACK_ACTIVE)).satisfies(event -> {
            assertThat(event.transferredLeases()).isOne();
            assertThat(event.cause()).contains("primary term");
            assertThat(event.after()).isGreaterThanOrEqualTo(TIMING.drain());
            assertThat(event.epoch())
                    .isEqualTo(events.await(Kind.PRIMARY_DRAINING).epoch());
        });
        assertThat(events.all()).containsSubsequence(Kind.PRIMARY_DRAINING, Kind.FALLBACK_ACTIVE);
        assertThat(events.all()).doesNotContain(Kind.PRIMARY_SUSPECTED);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(other.fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(locks.named("job").tryAcquire()).isEmpty();
        assertThat(lease.release()).isTrue();
        assertThat(losses).hasValue(0);
        try (Lease next = locks.named("job").acquire(LONG)) {
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        }
        assertThat(other.release()).isTrue();
    }

    @Test
    void waiter_whenTheLockIsReleasedAfterTheDrain_isServed() throws Exception {
        try (Locks mine = COMPOSITES.open("waited");
                Locks others = COMPOSITES.open("waited")) {
            EventRecorder events = EventRecorder.of(mine);
            Lease lease = mine.named("job").acquire(LONG);
            CompletableFuture<Lease> before = others.named("job").acquireAsync(LONG);
            drainPrimary("waited", mine, events);
            CompletableFuture<Lease> meanwhile = others.named("job").acquireAsync(LONG);

            Lease free =
                    COMPOSITES.passUntilGranted("waited", others.named("free").acquireAsync(LONG));
            assertThat(events.await(Kind.FALLBACK_ACTIVE).transferredLeases()).isOne();
            assertThat(before).isNotDone();
            assertThat(meanwhile).isNotDone();
            assertThat(lease.release()).isTrue();
            Lease first = Await.result(before);
            assertThat(first.fencingToken()).isGreaterThan(lease.fencingToken());
            assertThat(meanwhile).isNotDone();
            assertThat(first.release()).isTrue();
            Lease second = Await.result(meanwhile);
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            assertThat(second.release()).isTrue();
            assertThat(free.release()).isTrue();
        }
    }

    @Test
    void acquire_thatEndsDuringTheDrain_isNotToldThatTheLockIsBusy() throws Exception {
        try (Locks locks = COMPOSITES.open("free")) {
            drainPrimary("free", locks, EventRecorder.of(locks));
            DistributedLock free = locks.named("job");

            assertThatThrownBy(() -> free.acquire(Duration.ofMillis(100)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("no store grants locks during the transition to epoch");
            assertThatThrownBy(() -> free.tryAcquire(Duration.ofMillis(100)))
                    .isInstanceOf(LockUnavailableException.class);
        }
    }

    @Test
    void release_duringTheDrain_freesTheLock() throws Exception {
        try (Locks mine = COMPOSITES.open("given-back");
                Locks others = COMPOSITES.open("given-back")) {
            EventRecorder events = EventRecorder.of(mine);
            Lease early = mine.named("early").acquire(LONG);
            Lease late = mine.named("late").acquire(LONG);

            drainPrimary("given-back", mine, events);

            assertThat(early.release()).isTrue();
            Await.until("it is carried over", () -> COMPOSITES.rows("given-back", "late") == 1);
            assertThat(late.release()).isTrue();
            assertThat(events.all()).as("so far").doesNotContain(Kind.FALLBACK_ACTIVE);
            for (Lease lease : List.of(early, late)) {
                try (Lease next = COMPOSITES.passUntilGranted(
                        "given-back", others.named(lease.name()).acquireAsync(LONG))) {
                    assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
                }
            }
        }
    }

    @Test
    void release_inTheBatchOfItsAcquire_leavesNothingToTransfer() throws Exception {
        try (Locks others = COMPOSITES.open("in-one-call");
                LockStore store = LockConfiguration.of(COMPOSITES.configuration("in-one-call"))
                        .openStore()) {
            EventRecorder events = EventRecorder.of(others);
            LockName job = new LockName("job");
            AcquisitionId id = new AcquisitionId(1, 2);
            List<LockReply> replies = store.execute(
                    List.of(
                            new LockCommand.Acquire(job, id, Duration.ofHours(1), false, 0, "mine"),
                            new LockCommand.Release(job, id, Duration.ZERO, Duration.ZERO)),
                    LONG);
            assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
            assertThat(replies.get(1)).isEqualTo(new LockReply.Released(true));

            drainPrimary("in-one-call", others, events);

            COMPOSITES
                    .passUntilGranted("in-one-call", others.named("job").acquireAsync(LONG))
                    .close();
        }
    }

    @Test
    void handOffs_throughAFailover_keepOneHolder() throws Exception {
        History history = new History();
        try (Locks locks = COMPOSITES.open("handed-on");
                Contenders threads = new Contenders(history, List.of("job"), 1)) {
            threads.begin("thread", locks, 4);
            threads.awaitProgress("while Redis grants");

            failOver("handed-on", locks);

            threads.awaitProgress("while the database grants");
            threads.end();
        }
        history.verify(6);
    }

    @Test
    void shares_throughAFailoverAndAFailback_areKeptAndCounted() throws Exception {
        try (Locks one = COMPOSITES.open("counted");
                Locks other = COMPOSITES.open("counted")) {
            Lease reader = one.named("file").shared().acquire(LONG);
            Lease another = other.named("file").shared().acquire(LONG);
            Lease two = one.semaphore("gpu", 3).permits(2).acquire(LONG);
            Lease third = other.semaphore("gpu", 3).permits(1).acquire(LONG);
            List<Lease> leases = List.of(reader, another, two, third);

            failOver("counted", one);
            assertKeptAndCounted(leases, one);
            failBack("counted");
            assertKeptAndCounted(leases, one);

            assertThat(reader.release()).isTrue();
            assertThat(one.named("file").tryAcquire()).isEmpty();
            assertThat(another.release()).isTrue();
            try (Lease writer = one.named("file").acquire(LONG)) {
                assertThat(writer.fencingToken()).isGreaterThan(third.fencingToken());
            }
            assertThat(two.release()).isTrue();
            one.semaphore("gpu", 3).permits(2).acquire(LONG).close();
            assertThat(third.release()).isTrue();
        }
    }

    private static void assertKeptAndCounted(List<Lease> leases, Locks locks) throws InterruptedException {
        assertThat(leases).extracting(Lease::state).containsOnly(LeaseState.HELD);
        assertThat(locks.named("file").tryAcquire()).isEmpty();
        locks.named("file").shared().acquire(LONG).close();
        assertThat(locks.semaphore("gpu", 3).permits(1).tryAcquire()).isEmpty();
        assertThat(locks.named("gpu").shared().tryAcquire()).isEmpty();
    }

    @Test
    void writerOfBefore_throughAFailoverAndAFailback_keepsReadersOut() throws Exception {
        try (Locks one = COMPOSITES.open("written");
                Locks other = COMPOSITES.open("written")) {
            DistributedLock readers = other.named("file").shared();
            Lease writer = one.named("file").acquire(LONG);

            failOver("written", one);
            CompletableFuture<Lease> inTheFallback = assertWaits(readers);
            failBack("written");
            CompletableFuture<Lease> afterwards = assertWaits(readers);

            assertThat(inTheFallback).isNotDone();
            assertThat(writer.release()).isTrue();
            for (CompletableFuture<Lease> each : List.of(inTheFallback, afterwards)) {
                assertThat(Await.result(each).fencingToken()).isGreaterThan(writer.fencingToken());
            }
        }
    }

    @Test
    void readersOfBefore_throughAFailoverAndAFailback_keepAWriterOut() throws Exception {
        try (Locks one = COMPOSITES.open("read");
                Locks other = COMPOSITES.open("read")) {
            Lease reader = one.named("file").shared().acquire(LONG);
            Lease another = other.named("file").shared().acquire(LONG);

            failOver("read", one);
            CompletableFuture<Lease> writer = assertWaits(other.named("file"));
            assertThat(reader.release()).isTrue();
            assertThat(writer).isNotDone();
            failBack("read");
            assertThat(one.named("file").tryAcquire()).isEmpty();

            assertThat(writer).isNotDone();
            assertThat(another.release()).isTrue();
            assertThat(Await.result(writer).fencingToken()).isGreaterThan(another.fencingToken());
        }
    }

    /** It is not granted now; the returned call waits. */
    private static CompletableFuture<Lease> assertWaits(DistributedLock lock) throws InterruptedException {
        assertThat(lock.tryAcquire()).isEmpty();
        return lock.acquireAsync(LONG);
    }

    @Test
    void writersReadersAndPermits_throughAFailoverAndAFailback_fitTogether() throws Exception {
        History history = new History();
        try (Locks one = COMPOSITES.open("mixed");
                Locks other = COMPOSITES.open("mixed");
                Contenders threads = new Contenders(history, List.of("job"), 1)) {
            threads.beginMixed("one", one, 3);
            threads.beginMixed("other", other, 3);
            threads.awaitProgress("while Redis grants");

            failOver("mixed", one);
            threads.awaitProgress("while the database grants");
            failBack("mixed");
            threads.awaitProgress("while Redis grants again");
            threads.end();
        }
        history.verify(12);
    }

    private static void failOver(String namespace, Locks locks) {
        EventRecorder events = EventRecorder.of(locks);
        drainPrimary(namespace, locks, events);
        COMPOSITES.pass(namespace, "the database grants", () -> events.all().contains(Kind.FALLBACK_ACTIVE));
    }

    private static void failBack(String namespace) {
        COMPOSITES.pass(
                namespace,
                "Redis grants again",
                () -> COMPOSITES.mode(namespace).equals("PRIMARY"));
    }

    /** Redis loses its mark, refuses a command, and is drained. */
    private static void drainPrimary(String namespace, Locks locks, EventRecorder events) {
        COMPOSITES.removeMark(namespace);
        startAcquire(locks);
        events.await(Kind.PRIMARY_DRAINING);
    }

    /** Granted sooner or later, by whichever store. */
    private static void startAcquire(Locks locks) {
        CompletableFuture<Lease> unused = locks.named("provoked").acquireAsync(LONG);
    }
}
