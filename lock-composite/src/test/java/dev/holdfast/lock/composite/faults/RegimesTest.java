package dev.holdfast.lock.composite.faults;

import static dev.holdfast.lock.composite.faults.Composites.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.RegimeEvent.Kind;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.internal.Opening;
import dev.holdfast.lock.pulse.Always;
import dev.holdfast.lock.pulse.Patiently;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/** What who holds, waits and releases sees of a failover. */
@Execution(ExecutionMode.CONCURRENT)
class RegimesTest {

    private static final Timing TIMING = new Timing(Duration.ofSeconds(10));

    private static Composites composites;

    @BeforeAll
    static void start() {
        composites = new Composites(TIMING.lease());
    }

    @AfterAll
    static void stop() {
        composites.close();
    }

    @Test
    void aFlushedRedisIsDeposedAtOnceAndWhoHoldsALockKeepsIt() throws Exception {
        DatabaseHeart.steadily(composites.postgres(), TIMING, pulse -> {
            try (RedisServer flushed = RedisServer.own();
                    RedisClient client = flushed.client()) {
                pulse.feel(new ServerHeart(flushed));
                Properties configuration = composites.configuration("flushed-" + pulse.attempt());
                configuration.setProperty("lock.redis.uri", flushed.uri());
                try (Locks locks = composites.open(configuration)) {
                    aLeaseSurvives(locks, client::flushAll);
                }
            }
        });
    }

    @Test
    void aRedisThatLostTheMarkIsDeposedAtOnceAndWhoHoldsALockKeepsIt() throws Exception {
        undisturbed("unmarked", namespace -> {
            try (Locks locks = composites.open(namespace)) {
                aLeaseSurvives(locks, () -> composites.removeMark(namespace));
            }
        });
    }

    private static void aLeaseSurvives(Locks locks, Runnable fault) throws Exception {
        Heard heard = Heard.of(locks);
        Lease lease = locks.named("job").acquire();
        AtomicInteger losses = new AtomicInteger();
        lease.onLost(loss -> losses.incrementAndGet());

        fault.run();
        Lease other = locks.named("other").acquire(LONG);

        assertThat(heard.await(Kind.PRIMARY_DEPOSED).carriedOver()).isOne();
        assertThat(heard.await(Kind.FALLBACK_GRANTS)).satisfies(event -> {
            assertThat(event.carriedOver()).isOne();
            assertThat(event.cause()).contains("mark");
            assertThat(event.after()).isGreaterThanOrEqualTo(TIMING.drain());
            assertThat(event.epoch())
                    .isEqualTo(heard.await(Kind.PRIMARY_DEPOSED).epoch());
        });
        assertThat(heard.all()).containsSubsequence(Kind.PRIMARY_DEPOSED, Kind.FALLBACK_GRANTS);
        assertThat(heard.all()).doesNotContain(Kind.PRIMARY_SUSPECTED);
        Awaiting.until("a renewal is answered", () -> lease.state() != LeaseState.UNCONFIRMED);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        Always.holds(() -> assertThat(other.fencingToken()).isGreaterThan(lease.fencingToken()));
        assertThat(locks.named("job").tryAcquire()).isEmpty();
        assertThat(lease.release()).isTrue();
        assertThat(losses).hasValue(0);
        try (Lease next = locks.named("job").acquire(LONG)) {
            Always.holds(() -> assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken()));
        }
        assertThat(other.release()).isTrue();
    }

    @Test
    void whoWaitsThroughTheDrainIsServedWhenTheLockIsGivenBack() throws Exception {
        undisturbed("waited", namespace -> {
            try (Locks mine = composites.open(namespace);
                    Locks others = composites.open(namespace)) {
                Heard heard = Heard.of(mine);
                Lease lease = mine.named("job").acquire();
                CompletableFuture<Lease> before = others.named("job").acquireAsync(LONG);

                composites.removeMark(namespace);
                provoke(mine);
                heard.await(Kind.PRIMARY_DEPOSED);
                CompletableFuture<Lease> meanwhile = others.named("job").acquireAsync(LONG);
                CompletableFuture<Lease> free = others.named("free").acquireAsync(LONG);

                Lease ofFree = free.get(1, TimeUnit.MINUTES);
                assertThat(heard.await(Kind.FALLBACK_GRANTS).carriedOver()).isOne();
                assertThat(before).isNotDone();
                assertThat(meanwhile).isNotDone();
                assertThat(lease.release()).isTrue();
                Lease first = before.get(1, TimeUnit.MINUTES);
                Always.holds(() -> assertThat(first.fencingToken()).isGreaterThan(lease.fencingToken()));
                assertThat(meanwhile).isNotDone();
                assertThat(first.release()).isTrue();
                Lease second = meanwhile.get(1, TimeUnit.MINUTES);
                Always.holds(() -> assertThat(second.fencingToken()).isGreaterThan(first.fencingToken()));
                assertThat(second.release()).isTrue();
                assertThat(ofFree.release()).isTrue();
            }
        });
    }

    @Test
    void whatIsGivenBackDuringTheDrainIsFreeAfterwards() throws Exception {
        undisturbed("given-back", namespace -> {
            try (Locks mine = composites.open(namespace);
                    Locks others = composites.open(namespace)) {
                Heard heard = Heard.of(mine);
                Lease early = mine.named("early").acquire();
                Lease late = mine.named("late").acquire();

                composites.removeMark(namespace);
                provoke(mine);
                heard.await(Kind.PRIMARY_DEPOSED);

                assertThat(early.release()).isTrue();
                Awaiting.until("it is carried over", () -> composites.rows(namespace, "late") == 1);
                assertThat(late.release()).isTrue();
                assertThat(heard.all()).as("so far").doesNotContain(Kind.FALLBACK_GRANTS);
                for (Lease lease : List.of(early, late)) {
                    try (Lease next = others.named(lease.name()).acquire(LONG)) {
                        Always.holds(() -> assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken()));
                    }
                }
            }
        });
    }

    @Test
    void aMinimumHoldSurvives() throws Exception {
        undisturbed("kept", namespace -> {
            Duration minimum = Duration.ofSeconds(20);
            try (Locks mine = composites.open(namespace);
                    Locks others = composites.open(namespace)) {
                Heard heard = Heard.of(others);
                long asked = System.nanoTime();
                Lease lease = mine.named("job").withMinimumHold(minimum).acquire();
                assertThat(lease.release()).isTrue();

                composites.removeMark(namespace);
                provoke(mine);
                heard.await(Kind.FALLBACK_GRANTS);

                try (Lease next = others.named("job").acquire(LONG)) {
                    assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThanOrEqualTo(minimum);
                    Always.holds(() -> assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken()));
                }
            }
        });
    }

    @Test
    void whatWasGivenBackByTheCallThatAcquiredItIsNotCarriedOver() throws Exception {
        undisturbed("in-one-call", namespace -> {
            try (Locks others = composites.open(namespace);
                    LockStore store = Patiently.ask(() -> Opening.bareStore(composites.configuration(namespace)))) {
                Heard heard = Heard.of(others);
                LockName job = new LockName("job");
                AcquisitionId id = new AcquisitionId(1, 2);
                List<Answer> answers = store.apply(
                        List.of(
                                new Step.Acquire(job, id, Duration.ofHours(1), false, 0, "mine"),
                                new Step.Release(job, id, Duration.ZERO, Duration.ZERO)),
                        LONG);
                assertThat(answers.get(0)).isInstanceOf(Answer.Granted.class);
                assertThat(answers.get(1)).isEqualTo(new Answer.Released(true));

                composites.removeMark(namespace);
                others.named("other").acquire(LONG).close();
                heard.await(Kind.FALLBACK_GRANTS);

                Awaiting.until("it is free", () -> {
                    Optional<Lease> next =
                            Patiently.ask(() -> others.named("job").tryAcquire());
                    next.ifPresent(Lease::close);
                    return next.isPresent();
                });
            }
        });
    }

    @Test
    void threadsHandTheLockOnBeforeWhileAndAfterAnotherComesToPower() throws Exception {
        undisturbed("handed-on", namespace -> {
            try (Locks locks = composites.open(namespace)) {
                Heard heard = Heard.of(locks);
                Lock lock = locks.named("job").asLock();
                AtomicBoolean over = new AtomicBoolean();
                AtomicBoolean inside = new AtomicBoolean();
                AtomicInteger turns = new AtomicInteger();
                List<CompletableFuture<Void>> threads = new ArrayList<>();
                for (int thread = 0; thread < 4; thread++) {
                    threads.add(CompletableFuture.runAsync(
                            () -> {
                                while (!over.get()) {
                                    lock.lock();
                                    try {
                                        assertThat(inside.getAndSet(true)).isFalse();
                                        turns.incrementAndGet();
                                        inside.set(false);
                                    } finally {
                                        lock.unlock();
                                    }
                                }
                            },
                            task -> new Thread(task).start()));
                }
                Awaiting.until("some turns", () -> turns.get() > 40);

                composites.removeMark(namespace);
                heard.await(Kind.FALLBACK_GRANTS);

                int before = turns.get();
                Awaiting.until("more turns", () -> turns.get() > before + 40);
                over.set(true);
                for (CompletableFuture<Void> thread : threads) {
                    thread.get(1, TimeUnit.MINUTES);
                }
            }
        });
    }

    /** Tries it, in a namespace of this name, again if something stood still. */
    private static void undisturbed(String name, Failover test) throws Exception {
        DatabaseHeart.steadily(composites.postgres(), TIMING, pulse -> {
            pulse.feel(new ServerHeart(composites.redis()));
            test.run(name + "-" + pulse.attempt());
        });
    }

    private interface Failover {
        void run(String namespace) throws Exception;
    }

    /** Has the primary asked for something. Whether the lock is granted before it is deposed is not the question. */
    private static void provoke(Locks locks) {
        try {
            locks.named("provoked").tryAcquire().ifPresent(Lease::close);
        } catch (LockUnavailableException e) {
            // nobody grants right now
        }
    }
}
