package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.regime.Duty;
import dev.holdfast.lock.composite.regime.Lane;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.internal.Clock;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A process that stood still for longer than a regime lease does not know who grants. It asks, and its steps wait for the answer
 * instead of being refused. On real stores and a clock that the test sets ahead.
 */
class StandstillTest {

    private static final AtomicInteger SPACES = new AtomicInteger();
    private static Servers servers;

    private static final Duration LEASE = Duration.ofMinutes(2);
    private static final Timing TIMING = new Timing(LEASE);
    /** Longer than a test waits for anything: what is unavailable before has not waited for it. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    private final Clock clock = () -> Clock.SYSTEM.now().plus(ahead.get());
    private final Namespace namespace = new Namespace("stood-still-" + SPACES.incrementAndGet());
    private final Config config = Servers.config(servers.configuration("composite", LEASE.toSeconds() + "s"));
    private final CompositeLockStore others = CompositeLockProvider.open(namespace, config, TIMING, Clock.SYSTEM, true);
    private final AuthorityStore authority = new JdbcLockProvider().openAuthority(namespace, config, false);
    private final PrimaryStore primary =
            new RedisLockProvider().primary(namespace, config).get();
    private final Seat seat = Duties.seat(1, TIMING, clock);
    private final DelayedPrimary delayed = new DelayedPrimary(primary);
    private final Asking asking = new Asking(seat, delayed.store(), authority);

    @BeforeAll
    static void start() {
        servers = new Servers(RedisServer.own());
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @BeforeEach
    void whoGrantsIsKnown() throws Exception {
        assertThat(others.knows(Mode.PRIMARY)).isTrue();
        read(Duration.ofMinutes(1));
        assertThat(asked(acquiring("before"))).isInstanceOf(Answer.Granted.class);
    }

    @AfterEach
    void close() {
        seat.close();
        primary.close();
        authority.close();
        others.close();
    }

    @Test
    void aStepWaitsUntilTheAuthorityHasAnswered() throws Exception {
        ahead.set(LEASE.multipliedBy(2));

        FutureTask<Answer> asked = asking("job");
        assertThat(asked.isDone()).isFalse();
        read(Duration.ofMinutes(1));

        assertThat(asked.get(60, TimeUnit.SECONDS)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void aGrantThatArrivesTooLateIsAskedForAgain() throws Exception {
        delayed.meanwhile(() -> ahead.set(LEASE.multipliedBy(2)));

        FutureTask<Answer> asked = asking("job");
        assertThat(asked.isDone()).isFalse();
        delayed.meanwhile(() -> {});
        read(Duration.ofMinutes(1));

        assertThat(asked.get(60, TimeUnit.SECONDS)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void aStepIsRefusedAtOnceWhereTheAuthorityDoesNotAnswer() throws Exception {
        servers.postgres().kill();
        try {
            ahead.set(LEASE.multipliedBy(2));
            FutureTask<Answer> waiting = asking("job");
            read(Duration.ofSeconds(1));

            assertThat(waiting.get(60, TimeUnit.SECONDS)).isInstanceOf(Answer.Unavailable.class);
            FutureTask<Answer> later = asking("other");
            assertThat(later.get(60, TimeUnit.SECONDS)).isInstanceOf(Answer.Unavailable.class);
        } finally {
            servers.postgres().start();
        }
    }

    /** Whoever asked for it has to know that it may have been carried out. */
    @Test
    void whatMayHaveBeenCarriedOutIsNotRepeatedHere() throws Exception {
        delayed.meanwhile(() -> {
            ahead.set(LEASE.multipliedBy(2));
            throw new IllegalStateException("the answer is lost");
        });

        FutureTask<Answer> asked = asking(() -> asked(releasing("before")));

        assertThat(asked.get(60, TimeUnit.SECONDS)).isInstanceOf(Answer.Unavailable.class);
    }

    /** A release needs nobody who grants, but overtakes no acquire that does. */
    @Test
    void stepsOnOneLockAreCarriedOutInTheirOrder() throws Exception {
        ahead.set(LEASE.multipliedBy(2));

        FutureTask<List<Answer>> asked = asking(List.of(acquiring("job"), releasing("job")));
        assertThat(asked.isDone()).isFalse();
        read(Duration.ofMinutes(1));

        assertThat(asked.get(60, TimeUnit.SECONDS))
                .satisfiesExactly(
                        granted -> assertThat(granted).isInstanceOf(Answer.Granted.class),
                        released -> assertThat(released).isEqualTo(new Answer.Released(true)));
    }

    private Answer asked(Step step) {
        return asked(List.of(step)).get(0);
    }

    private List<Answer> asked(List<Step> steps) {
        return asking.apply(steps, Deadline.in(TIMEOUT));
    }

    private FutureTask<Answer> asking(String name) {
        return asking(() -> asked(acquiring(name)));
    }

    private FutureTask<List<Answer>> asking(List<Step> steps) {
        return asking(() -> asked(steps));
    }

    /** On a thread that waits, or has its answer. */
    private static <T> FutureTask<T> asking(Callable<T> question) {
        FutureTask<T> task = new FutureTask<>(question);
        Thread thread = new Thread(task, "asking");
        thread.start();
        Await.until(
                "it waits, or has its answer", () -> task.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
        return task;
    }

    private static Step.Acquire acquiring(String name) {
        return new Step.Acquire(new LockName(name), id(name), Duration.ofHours(1), false, 0, "test");
    }

    private static Step.Release releasing(String name) {
        return new Step.Release(new LockName(name), id(name), Duration.ZERO, Duration.ZERO);
    }

    private static AcquisitionId id(String name) {
        return new AcquisitionId(2, name.hashCode());
    }

    /** What the thread of the authority does, once. */
    private void read(Duration timeout) throws InterruptedException {
        Duty<?> duty = seat.await(Lane.AUTHORITY);
        assertThat(duty).isNotNull();
        assertThat(duty.what()).isEqualTo("read the regime");
        Duties.carryOut(seat, duty, primary, authority, timeout);
    }
}
