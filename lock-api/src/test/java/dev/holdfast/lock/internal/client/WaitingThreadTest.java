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
        WaitingThread its = new WaitingThread();
        waiting.complete(its);
        told.complete(its.awaitUninterruptibly());
        interrupted.complete(Thread.interrupted());
    });

    private WaitingThread whenParked() throws Exception {
        other.setDaemon(true);
        other.start();
        WaitingThread its = waiting.get();
        awaitParked(other);
        return its;
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
    void isWokenByItsOutcome() throws Exception {
        whenParked().completed(RESULT);

        assertThat(told.get()).isEqualTo(RESULT);
        assertThat(interrupted.get()).isFalse();
    }

    @Test
    void isWokenByWhatItIsLentFor() throws Exception {
        WaitingThread its = whenParked();
        for (int i = 0; i < MANY; i++) {
            CountDownLatch run = new CountDownLatch(1);
            while (!its.runOnWaitingThread(run::countDown)) { // a moment after the one before was run it waits again
                Thread.onSpinWait();
            }
            run.await();
        }
        assertThat(told).isNotDone();
    }

    @Test
    void isLentForOneThingAtATimeAndOnlyWhileItWaits() throws Exception {
        assertThat(new WaitingThread().runOnWaitingThread(() -> {}))
                .as("before it waits")
                .isFalse();
        WaitingThread its = whenParked();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> ran = new ArrayList<>();
        assertThat(its.runOnWaitingThread(() -> {
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

        assertThat(its.runOnWaitingThread(() -> {}))
                .as("while it is at something")
                .isFalse();
        go.countDown();
        its.completed(RESULT);
        assertThat(told.get(3, TimeUnit.MINUTES)).isEqualTo(RESULT);
        assertThat(ran).containsExactly(other);
    }

    @Test
    void whatItIsLentForAndHasNotBegunIsCarriedOutAsItLeaves() throws Exception {
        for (int taken = 0; taken < 20; ) { // as a rule it is awake only after both
            CompletableFuture<WaitingThread> there = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                WaitingThread its = new WaitingThread();
                there.complete(its);
                assertThat(its.awaitUninterruptibly()).isEqualTo(RESULT);
                its.leave();
            });
            waiter.start();
            WaitingThread its = there.get();
            awaitParked(waiter);
            List<Thread> ran = new ArrayList<>();
            its.completed(RESULT);
            boolean isTaken = its.runOnWaitingThread(() -> ran.add(Thread.currentThread()));
            waiter.join();
            assertThat(ran).isEqualTo(isTaken ? List.of(waiter) : List.of());
            assertThat(its.runOnWaitingThread(() -> {})).as("after it has left").isFalse();
            taken += isTaken ? 1 : 0;
        }
    }

    @Test
    void anInterruptEndsTheWaitBeforeAnythingElseIsBegun() {
        WaitingThread its = new WaitingThread();
        Thread.currentThread().interrupt();

        assertThatThrownBy(its::await).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(its.runOnWaitingThread(() -> {})).isFalse();
    }

    @Test
    void anInterruptIsKeptUntilThereIsAnOutcome() throws Exception {
        WaitingThread its = whenParked();
        other.interrupt();
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        while (!its.runOnWaitingThread(
                () -> seen.complete(Thread.currentThread().isInterrupted()))) {
            Thread.onSpinWait();
        }
        assertThat(seen.get(3, TimeUnit.MINUTES))
                .as("in the midst of what it is lent for")
                .isFalse();
        its.completed(RESULT);

        assertThat(told.get(3, TimeUnit.MINUTES)).isEqualTo(RESULT);
        assertThat(interrupted.get(3, TimeUnit.MINUTES)).isTrue();
    }
}
