package dev.holdfast.lock.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.Logged;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Code of the application, however long it blocks, keeps no other from its turn, and never runs on the thread that submits it. */
@Timeout(180)
@Isolated("captures the log of all threads")
class CallbackExecutorTest {

    private static final int MANY = 1_000;

    /** Threads and timers that run when the test says so. */
    private final Queue<Runnable> started = new ArrayDeque<>();

    private final Queue<Runnable> timers = new ArrayDeque<>();
    private final Set<Duration> delays = new HashSet<>();
    private boolean isExhausted;
    private final List<Integer> begun = new ArrayList<>();
    private final CallbackExecutor scripted = new CallbackExecutor("tasks of a test", this::start, this::after);

    private final DaemonThreads threads = new DaemonThreads();
    private final CallbackExecutor executor = new CallbackExecutor("tasks", threads.asNeeded("test"), threads);
    private final CountDownLatch end = new CountDownLatch(1);

    private void start(Runnable worker) {
        if (isExhausted) {
            throw new OutOfMemoryError("unable to create native thread, on purpose");
        }
        started.add(worker);
    }

    private Timers.Timer after(Duration delay, Runnable task) {
        timers.add(task);
        delays.add(delay);
        return () -> timers.remove(task);
    }

    private static void runAll(Queue<Runnable> tasks) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @AfterEach
    void close() {
        end.countDown();
        threads.close();
    }

    private void block() {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    private void mustRunOneMore() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        executor.execute(ran::countDown);
        assertThat(ran.await(170, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void task_whenManyOthersBlockForEver_begins() throws Exception {
        for (int task = 0; task < 50; task++) {
            executor.execute(this::block);
        }
        mustRunOneMore();
    }

    @Test
    void task_whenManyOthersBlockForEverAndTheExecutorIsClosed_begins() throws Exception {
        for (int task = 0; task < 50; task++) {
            executor.execute(this::block);
        }
        executor.close();
        threads.close();
        mustRunOneMore();
    }

    @Test
    void shortTasks_thousandsAtOnce_shareAFewThreads() {
        for (int task = 0; task < MANY; task++) {
            int number = task;
            scripted.execute(() -> begun.add(number));
        }
        assertThat(started).as("threads").hasSizeLessThan(10);
        runAll(started);
        assertThat(begun).hasSize(MANY).isSorted();
        timers.remove().run();
        assertThat(started).as("threads, once all tasks have ended").isEmpty();
        assertThat(timers).isEmpty();
    }

    @Test
    void task_withoutAThread_waitsForOneAndNeverRunsOnTheThreadThatSubmitsIt() {
        isExhausted = true;
        String logged = Logged.during(() -> {
            scripted.execute(() -> begun.add(1));
            scripted.execute(() -> begun.add(2));
            timers.remove().run();
        });
        assertThat(begun).isEmpty();
        assertThat(logged.lines().filter(line -> line.contains("no thread is available")))
                .as("lines for the operator")
                .hasSize(1)
                .allMatch(line -> line.contains("tasks of a test"));
        assertThat(timers).as("the next attempt").hasSize(1);
        assertThat(delays).contains(CallbackExecutor.RETRY);

        isExhausted = false;
        timers.remove().run();
        assertThat(begun).as("on the thread of the timers").isEmpty();
        runAll(started);
        assertThat(begun).containsExactly(1, 2);
    }

    @Test
    void close_withoutAThread_leavesNoTaskBehind() {
        isExhausted = true;
        String logged = Logged.during(() -> {
            scripted.execute(() -> begun.add(1));
            scripted.close();
            scripted.execute(() -> begun.add(2));
        });
        assertThat(begun).containsExactly(1, 2);
        assertThat(logged).contains("no thread is available");
    }

    @Test
    void task_thatFails_keepsNoOtherFromItsTurn() {
        scripted.execute(() -> {
            throw new StackOverflowError("on purpose");
        });
        scripted.execute(() -> begun.add(2));

        assertThat(Logged.during(() -> started.remove().run())).contains("a background task failed (tasks of a test)");
        assertThat(begun).containsExactly(2);
    }
}
