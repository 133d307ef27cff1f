package dev.holdfast.lock.composite.faults;

import static dev.holdfast.lock.composite.faults.Composites.LONG;
import static dev.holdfast.lock.composite.faults.Composites.TIMING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.RegimeEvent.Kind;
import dev.holdfast.lock.internal.Opening;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/** What a holder, a waiter and a release see of a failover. */
@Execution(ExecutionMode.CONCURRENT)
class FailoverTest {

    private static final Composites COMPOSITES = Composites.shared();

    @Test
    void aFlushedRedisIsDeposedAtOnceAndALeaseIsKept() throws Exception {
        try (RedisServer flushed = RedisServer.own();
                RedisClient client = flushed.client()) {
            Properties configuration = COMPOSITES.configuration("flushed");
            configuration.setProperty("lock.redis.uri", flushed.uri());
            try (Locks locks = COMPOSITES.open(configuration)) {
                aLeaseSurvives("flushed", locks, client::flushAll);
            }
        }
    }

    @Test
    void aRedisThatLostTheMarkIsDeposedAtOnceAndALeaseIsKept() throws Exception {
        try (Locks locks = COMPOSITES.open("unmarked")) {
            aLeaseSurvives("unmarked", locks, () -> COMPOSITES.removeMark("unmarked"));
        }
    }

    private static void aLeaseSurvives(String namespace, Locks locks, Runnable fault) throws Exception {
        EventRecorder heard = EventRecorder.of(locks);
        Lease lease = locks.named("job").acquire(LONG);
        AtomicInteger losses = new AtomicInteger();
        lease.onLost(loss -> losses.incrementAndGet());

        fault.run();
        provoke(locks);
        assertThat(heard.await(Kind.PRIMARY_DEPOSED).carriedOver()).isOne();
        Lease other =
                COMPOSITES.passUntilGranted(namespace, locks.named("other").acquireAsync(LONG));

        assertThat(heard.await(Kind.FALLBACK_GRANTS)).satisfies(event -> {
            assertThat(event.carriedOver()).isOne();
            assertThat(event.cause()).contains("mark");
            assertThat(event.after()).isGreaterThanOrEqualTo(TIMING.drain());
            assertThat(event.epoch())
                    .isEqualTo(heard.await(Kind.PRIMARY_DEPOSED).epoch());
        });
        assertThat(heard.all()).containsSubsequence(Kind.PRIMARY_DEPOSED, Kind.FALLBACK_GRANTS);
        assertThat(heard.all()).doesNotContain(Kind.PRIMARY_SUSPECTED);
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
    void aWaiterIsServedAfterTheDrainWhenTheLockIsGivenBack() throws Exception {
        try (Locks mine = COMPOSITES.open("waited");
                Locks others = COMPOSITES.open("waited")) {
            EventRecorder heard = EventRecorder.of(mine);
            Lease lease = mine.named("job").acquire(LONG);
            CompletableFuture<Lease> before = others.named("job").acquireAsync(LONG);
            depose("waited", mine, heard);
            CompletableFuture<Lease> meanwhile = others.named("job").acquireAsync(LONG);

            Lease free =
                    COMPOSITES.passUntilGranted("waited", others.named("free").acquireAsync(LONG));
            assertThat(heard.await(Kind.FALLBACK_GRANTS).carriedOver()).isOne();
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
    void whatIsGivenBackDuringTheDrainIsFreeAfterwards() throws Exception {
        try (Locks mine = COMPOSITES.open("given-back");
                Locks others = COMPOSITES.open("given-back")) {
            EventRecorder heard = EventRecorder.of(mine);
            Lease early = mine.named("early").acquire(LONG);
            Lease late = mine.named("late").acquire(LONG);

            depose("given-back", mine, heard);

            assertThat(early.release()).isTrue();
            Await.until("it is carried over", () -> COMPOSITES.rows("given-back", "late") == 1);
            assertThat(late.release()).isTrue();
            assertThat(heard.all()).as("so far").doesNotContain(Kind.FALLBACK_GRANTS);
            for (Lease lease : List.of(early, late)) {
                try (Lease next = COMPOSITES.passUntilGranted(
                        "given-back", others.named(lease.name()).acquireAsync(LONG))) {
                    assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
                }
            }
        }
    }

    @Test
    void whatWasGivenBackByTheCallThatAcquiredItIsNotCarriedOver() throws Exception {
        try (Locks others = COMPOSITES.open("in-one-call");
                LockStore store = Opening.bareStore(COMPOSITES.configuration("in-one-call"))) {
            EventRecorder heard = EventRecorder.of(others);
            LockName job = new LockName("job");
            AcquisitionId id = new AcquisitionId(1, 2);
            List<Answer> answers = store.apply(
                    List.of(
                            new Step.Acquire(job, id, Duration.ofHours(1), false, 0, "mine"),
                            new Step.Release(job, id, Duration.ZERO, Duration.ZERO)),
                    LONG);
            assertThat(answers.get(0)).isInstanceOf(Answer.Granted.class);
            assertThat(answers.get(1)).isEqualTo(new Answer.Released(true));

            depose("in-one-call", others, heard);

            COMPOSITES
                    .passUntilGranted("in-one-call", others.named("job").acquireAsync(LONG))
                    .close();
        }
    }

    @Test
    void threadsHandTheLockOnBeforeWhileAndAfterAnotherComesToPower() throws Exception {
        History history = new History();
        try (Locks locks = COMPOSITES.open("handed-on");
                Contenders threads = new Contenders(history, List.of("job"), 1)) {
            EventRecorder heard = EventRecorder.of(locks);
            threads.begin("thread", locks, 4);
            threads.awaitProgress("while Redis grants");

            depose("handed-on", locks, heard);
            COMPOSITES.pass(
                    "handed-on", "the database grants", () -> heard.all().contains(Kind.FALLBACK_GRANTS));

            threads.awaitProgress("while the database grants");
            threads.end();
        }
        history.verify(6);
    }

    /** Redis loses its mark, is asked for something, and deposed. */
    private static void depose(String namespace, Locks locks, EventRecorder heard) {
        COMPOSITES.removeMark(namespace);
        provoke(locks);
        heard.await(Kind.PRIMARY_DEPOSED);
    }

    /** Granted sooner or later, by whichever store. */
    private static void provoke(Locks locks) {
        CompletableFuture<Lease> unused = locks.named("provoked").acquireAsync(LONG);
    }
}
