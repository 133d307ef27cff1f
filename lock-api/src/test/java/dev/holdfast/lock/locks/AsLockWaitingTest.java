package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link DistributedLock#asLock()} when threads wait and are interrupted. */
@Execution(ExecutionMode.CONCURRENT)
class AsLockWaitingTest extends OneJdkLock {

    @Test
    void lock_pastTheAcquireTimeout_keepsWaiting() throws Exception {
        try (Lease lease = elsewhere.named(JOB).acquire();
                Person carl = new Person("carl")) {
            Future<?> uninterruptible = bob.begins(lock::lock);
            Future<?> interruptible = carl.begins(lock::lockInterruptibly);
            bob.awaitWaiting();
            carl.awaitWaiting();

            assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(job::acquire);
            assertThat(uninterruptible.isDone()).isFalse();
            assertThat(interruptible.isDone()).isFalse();

            assertThat(lease.release()).isTrue();
            Await.until("bob or carl holds the lock", () -> uninterruptible.isDone() || interruptible.isDone());
            (uninterruptible.isDone() ? bob : carl).does(lock::unlock);
            Person.result(uninterruptible);
            Person.result(interruptible);
        }
    }

    @Test
    void lock_whenInterruptedWhileWaiting_acquiresAndKeepsTheFlag() throws Exception {
        ann.does(lock::lock);
        Future<Boolean> flag = bob.beginsToCall(() -> {
            lock.lock();
            return Thread.interrupted();
        });
        for (int times = 0; times < 3; times++) {
            bob.awaitWaiting();
            bob.interrupt();
            assertThat(flag.isDone()).isFalse();
        }
        ann.does(lock::unlock);

        assertThat(Person.result(flag)).as("the flag").isTrue();
        assertThat(isFree()).isFalse();
        bob.does(lock::unlock);
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_whenInterruptedWhileWaiting_keepsItsPlaceInTheQueue() throws Exception {
        try (Lease lease = elsewhere.named(JOB).acquire();
                Person carl = new Person("carl")) {
            Future<?> first = bob.begins(lock::lock);
            bob.awaitWaiting();
            Future<?> second = carl.begins(lock::lock);
            carl.awaitWaiting();
            bob.interrupt();
            Await.until("bob has noticed", () -> !bob.thread().isInterrupted());
            bob.awaitWaiting();

            assertThat(lease.release()).isTrue();
            Await.until("bob or carl holds the lock", () -> first.isDone() || second.isDone());
            assertThat(first.isDone())
                    .as("bob, first in the queue, holds the lock")
                    .isTrue();
            bob.does(lock::unlock);
            Person.result(second);
        }
    }

    @Test
    void lockAndTryLock_onAnInterruptedThread_acquireAndKeepTheFlag() throws Exception {
        List<Person.Order> calls =
                List.of(lock::lock, () -> assertThat(lock.tryLock()).isTrue());
        for (Person.Order call : calls) {
            ann.does(() -> {
                Thread.currentThread().interrupt();
                call.carryOut();
                call.carryOut();
                lock.unlock();
                lock.unlock();
                assertThat(Thread.interrupted()).as("the flag").isTrue();
            });
            assertThat(isFree()).isTrue();
        }
    }

    @Test
    void interruptibleWait_whenInterrupted_throwsAndHoldsNothing() throws Exception {
        List<Person.Order> waits = List.of(lock::lockInterruptibly, () -> lock.tryLock(60, TimeUnit.SECONDS));
        for (Person.Order wait : waits) {
            ann.does(lock::lock);
            Future<?> waiting = bob.begins(wait);
            bob.awaitWaiting();
            bob.interrupt();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Person.result(waiting));
            ann.does(lock::unlock);
            Await.until("the queued acquire of bob is withdrawn", this::isFree);
            assertThatThrownBy(() -> bob.does(lock::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        }
    }

    @Test
    void interruptibleCall_onAnInterruptedThread_throwsEvenWithoutAWait() throws Exception {
        List<Person.Order> waits = List.of(
                lock::lockInterruptibly,
                () -> lock.tryLock(60, TimeUnit.SECONDS),
                () -> lock.tryLock(0, TimeUnit.SECONDS),
                () -> lock.tryLock(-1, TimeUnit.SECONDS));
        for (Person.Order wait : waits) {
            ann.does(() -> expectInterrupted(wait));
            assertThat(isFree()).isTrue();
            ann.does(lock::lock);
            ann.does(() -> expectInterrupted(wait));
            ann.does(lock::unlock);
            assertThat(isFree()).isTrue();
        }
    }

    private static void expectInterrupted(Person.Order wait) {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(wait::carryOut)
                .withMessageContaining(JOB);
        assertThat(Thread.interrupted())
                .as("the flag, which the exception stands for")
                .isFalse();
    }

    private boolean isFree() {
        return Free.isFree(elsewhere, JOB);
    }
}
