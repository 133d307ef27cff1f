package dev.holdfast.lock.jdbc.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.Commands;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;

/** When it is asked to prune, on which thread, and what is said when that fails; what it does is shown on a server elsewhere. */
@Tag("first-build")
@Timeout(300) // what waits where it must not hangs
class PrunerTest {

    private static final Duration NO_TIME = Duration.ZERO;
    private static final Duration LONG = Duration.ofHours(1);
    private static final List<LockCommand> RELEASE = List.of(Commands.release("a", Commands.id()));

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger warnings = new AtomicInteger();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    @Test
    void release_startsOneRoundAtATimeAndDoesNotWait() {
        CountDownLatch gate = new CountDownLatch(1);
        try (Pruner pruner = pruner(NO_TIME, LONG)) {
            Connections blocked = answering(call -> {
                await(gate);
                return new long[] {0, 1};
            });
            pruner.pruneAfter(List.of(Commands.acquire("a", Commands.id())), blocked);
            for (int release = 0; release < 100; release++) {
                pruner.pruneAfter(RELEASE, blocked); // which hangs if it waits
            }
            Await.until("it is begun", () -> calls.get() > 0);
            pruner.pruneAfter(RELEASE, blocked);
            assertThat(calls).hasValue(1);
            gate.countDown();
            Await.until("another round", () -> {
                pruner.pruneAfter(RELEASE, blocked);
                return calls.get() > 1;
            });
        }
    }

    @Test
    void round_runsUntilNothingIsLeftAndTheNextFollowsThePause() {
        Pruner pruner = pruner(LONG, LONG);
        Connections three = answering(call -> new long[] {500, call < 3 ? 0 : 3_600_000_000L});
        pruner.pruneAfter(RELEASE, three);
        Await.until("the round is over", () -> calls.get() == 3 && !isAtWork());
        pruner.pruneAfter(RELEASE, three);
        pruner.close();
        assertThat(calls).hasValue(3);
    }

    @Test
    void close_endsTheRoundAndWaitsOnlyAMomentForItsCall() {
        CountDownLatch gate = new CountDownLatch(1);
        Pruner pruner = pruner(NO_TIME, LONG);
        Connections blocked = answering(call -> {
            await(gate);
            return new long[] {500, 0}; // there is more
        });
        pruner.pruneAfter(RELEASE, blocked);
        Await.until("it is begun", () -> calls.get() == 1);
        pruner.close(); // which hangs if it waits until the call is over
        gate.countDown();
        Await.until("the thread has ended", () -> !isAtWork());
        pruner.pruneAfter(RELEASE, blocked);
        pruner.close();
        assertThat(calls).hasValue(1);
        assertThat(warnings).hasValue(0);
    }

    @Test
    void round_pausesBetweenCallsUntilClosed() {
        Pruner pruner = pruner(LONG, LONG, LONG);
        pruner.pruneAfter(RELEASE, answering(call -> new long[] {500, 0})); // there is more
        Await.until(
                "it pauses",
                () -> threads.stream().anyMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
        pruner.close();
        Await.until("the thread has ended", () -> !isAtWork());
        assertThat(calls).hasValue(1);
        assertThat(warnings).hasValue(0);
    }

    /** The commands are executed: an error would have each of them repeated, and a caller told that its release is unanswered. */
    @Test
    void release_whenNoThreadIsAvailable_isNotFailedByIt() {
        AtomicBoolean hasThreads = new AtomicBoolean();
        Executor scarce = task -> {
            if (!hasThreads.get()) {
                throw new OutOfMemoryError("unable to create native thread, as a test wants it");
            }
            new Thread(task).start();
        };
        try (Pruner pruner = pruner(LONG, LONG, LONG, scarce)) {
            Connections idle = answering(call -> new long[] {0, 1});
            pruner.pruneAfter(RELEASE, idle);
            assertThat(calls).hasValue(0);

            hasThreads.set(true);
            pruner.pruneAfter(RELEASE, idle);
            Await.until("the next release starts a round", () -> calls.get() == 1);
        }
    }

    @Test
    void round_whenTooLong_warnsOnce() {
        try (Pruner pruner = pruner(LONG, NO_TIME)) {
            pruner.pruneAfter(RELEASE, answering(call -> new long[] {500, call < 10 ? 0 : 1}));
            Await.until("the round is over", () -> calls.get() == 10 && !isAtWork());
            assertThat(warnings).hasValue(1);
        }
    }

    @Test
    void failure_whenNoOutage_warnsOnce() {
        failing(LONG, new SQLException("permission denied", "42501"));
        assertThat(warnings).hasValue(1);
    }

    @Test
    void outage_whenItLastsWhileLocksAreReleased_warnsOnce() {
        failing(LONG, new SQLException("statement timeout", "57014"));
        assertThat(warnings).hasValue(0);
        failing(NO_TIME, new SQLException("statement timeout", "57014"));
        assertThat(warnings).hasValue(1);
    }

    private void failing(Duration late, SQLException failure) {
        calls.set(0);
        try (Pruner pruner = pruner(NO_TIME, late)) {
            Connections failing = answering(call -> {
                throw failure;
            });
            Await.until("some failures", () -> {
                pruner.pruneAfter(RELEASE, failing);
                return calls.get() >= 5;
            });
        }
        Await.until("the thread has ended", () -> !isAtWork());
    }

    private Pruner pruner(Duration pause, Duration late) {
        return pruner(pause, Duration.ofMillis(1), late);
    }

    private Pruner pruner(Duration pause, Duration breath, Duration late) {
        return pruner(pause, breath, late, task -> new Thread(task).start());
    }

    private Pruner pruner(Duration pause, Duration breath, Duration late, Executor executor) {
        Logger log = (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("warn")) {
                        warnings.incrementAndGet();
                    }
                    return null;
                });
        Pruner.Round round = (connections, deadline) -> connections.with(deadline, connection -> null);
        return new Pruner(round, pause, breath, late, log, executor);
    }

    private boolean isAtWork() {
        return threads.stream().anyMatch(Thread::isAlive);
    }

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A server's answers, of how many rows were removed and when there is more to do. */
    private interface Server {
        long[] answer(int call) throws SQLException;
    }

    private Connections answering(Server server) {
        return new Connections() {

            @Override
            @SuppressWarnings("unchecked") // it is asked for nothing else
            public <T> T with(Deadline deadline, Work<T> work) throws SQLException {
                threads.add(Thread.currentThread());
                long[] answer = server.answer(calls.incrementAndGet());
                return (T) new Pruner.Part(answer[0], Duration.of(answer[1], ChronoUnit.MICROS));
            }

            @Override
            public DataSource direct() {
                throw new UnsupportedOperationException();
            }

            @Override
            public ErrorClasses errors() {
                return failure ->
                        "57014".equals(failure.getSQLState()) ? ErrorClass.CANCELLED : ErrorClass.NO_PRIVILEGE;
            }

            @Override
            public boolean areApplications() {
                return false;
            }

            @Override
            public void close() {}
        };
    }
}
