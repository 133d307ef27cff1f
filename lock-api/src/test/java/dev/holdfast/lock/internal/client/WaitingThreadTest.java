package dev.holdfast.lock.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.engine.AcquireResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class WaitingThreadTest {

    private static final int MANY = 20_000;
    private static final AcquireResult RESULT = new AcquireResult.Busy();

    private final CompletableFuture<WaitingThread> waiting = new CompletableFuture<>();
    private final CompletableFuture<AcquireResult> told = new CompletableFuture<>();
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

    private final Thread other = new Thread(() -> {
        WaitingThread waitingThread = new WaitingThread();
        waiting.complete(waitingThread);
        told.complete(waitingThread.awaitUninterruptibly());
        interrupted.complete(Thread.interrupted());
    });

    private WaitingThread whenParked() throws Exception {
        other.setDaemon(true);
        other.start();
        WaitingThread waitingThread = waiting.get();
        awaitParked(other);
        return waitingThread;
    }

    private static void awaitParked(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void end() {
        Thread.interrupted();
        if (waiting.isDone()) {
            waiting.join().completed(RESULT);
        }
    }

    @Test
    void await_onCompletion_returnsTheOutcome() throws Exception {
        whenParked().completed(RESULT);

        assertThat(told.get()).isEqualTo(RESULT);
        assertThat(interrupted.get()).isFalse();
    }

    @Test
    void runOnWaitingThread_whileParked_runsEachTask() throws Exception {
        WaitingThread waitingThread = whenParked();
        for (int i = 0; i < MANY; i++) {
            CountDownLatch run = new CountDownLatch(1);
            while (!waitingThread.runOnWaitingThread(
                    run::countDown)) { // the thread waits again a moment after the last task
                Thread.onSpinWait();
            }
            run.await();
        }
        assertThat(told).isNotDone();
    }

    @Test
    void runOnWaitingThread_beforeTheWaitOrDuringATask_isRefused() throws Exception {
        assertThat(new WaitingThread().runOnWaitingThread(() -> {}))
                .as("before it waits")
                .isFalse();
        WaitingThread waitingThread = whenParked();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> ran = new ArrayList<>();
        assertThat(waitingThread.runOnWaitingThread(() -> {
                    ran.add(Thread.currentThread());
                    begun.countDown();
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }))
                .isTrue();
        begun.await();

        assertThat(waitingThread.runOnWaitingThread(() -> {}))
                .as("while it runs a task")
                .isFalse();
        go.countDown();
        waitingThread.completed(RESULT);
        assertThat(told.get(3, TimeUnit.MINUTES)).isEqualTo(RESULT);
        assertThat(ran).containsExactly(other);
    }

    @Test
    void leave_withAnAcceptedTask_runsItFirst() throws Exception {
        for (int taken = 0; taken < 20; ) { // most often the thread wakes only after both
            CompletableFuture<WaitingThread> there = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                WaitingThread waitingThread = new WaitingThread();
                there.complete(waitingThread);
                assertThat(waitingThread.awaitUninterruptibly()).isEqualTo(RESULT);
                waitingThread.leave();
            });
            waiter.start();
            WaitingThread waitingThread = there.get();
            awaitParked(waiter);
            List<Thread> ran = new ArrayList<>();
            waitingThread.completed(RESULT);
            boolean isTaken = waitingThread.runOnWaitingThread(() -> ran.add(Thread.currentThread()));
            waiter.join();
            assertThat(ran).isEqualTo(isTaken ? List.of(waiter) : List.of());
            assertThat(waitingThread.runOnWaitingThread(() -> {}))
                    .as("after it has left")
                    .isFalse();
            taken += isTaken ? 1 : 0;
        }
    }

    @Test
    void await_onAnInterruptedThread_throwsAndAcceptsNoTask() {
        WaitingThread waitingThread = new WaitingThread();
        Thread.currentThread().interrupt();

        assertThatThrownBy(waitingThread::await).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(waitingThread.runOnWaitingThread(() -> {})).isFalse();
    }

    @Test
    void awaitUninterruptibly_whenInterrupted_restoresTheFlagWithTheOutcome() throws Exception {
        WaitingThread waitingThread = whenParked();
        other.interrupt();
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        while (!waitingThread.runOnWaitingThread(
                () -> seen.complete(Thread.currentThread().isInterrupted()))) {
            Thread.onSpinWait();
        }
        assertThat(seen.get(3, TimeUnit.MINUTES)).as("the flag during the task").isFalse();
        waitingThread.completed(RESULT);

        assertThat(told.get(3, TimeUnit.MINUTES)).isEqualTo(RESULT);
        assertThat(interrupted.get(3, TimeUnit.MINUTES)).isTrue();
    }
}
