package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link DistributedLock#asLock()} as the JDK describes a lock: owned by a thread, and reentrant. */
@Execution(ExecutionMode.CONCURRENT)
class AsLockTest extends OneJdkLock {

    @Test
    void lock_whileHeld_excludesOtherThreadsAndProcesses() throws Exception {
        ann.does(lock::lock);

        assertThat(bob.<Boolean>calls(lock::tryLock)).isFalse();
        assertThat(elsewhere.named(JOB).tryAcquire()).isEmpty();
        assertThat(bob.<Boolean>calls(locks.named("other").asLock()::tryLock)).isTrue();

        ann.does(lock::unlock);
        assertThat(bob.<Boolean>calls(lock::tryLock)).isTrue();
    }

    @Test
    void lock_throughSeveralViews_isCountedAsOne() throws Exception {
        Lock shorter = job.withLease(Duration.ofSeconds(20)).asLock();

        ann.does(() -> {
            shorter.lock();
            lock.lock();
            locks.named(JOB).asLock().lockInterruptibly();
            assertThat(shorter.tryLock()).isTrue();
            assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
        });

        assertThat(store.acquires(JOB)).hasSize(1);
        for (int held = 5; held > 0; held--) {
            assertThat(isFree()).as("held %d times", held).isFalse();
            ann.does(lock::unlock);
        }
        assertThat(isFree()).isTrue();
    }

    @Test
    void unlock_byAThreadThatDoesNotHold_throwsIllegalMonitorState() throws Exception {
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining(JOB);
        ann.does(lock::lock);
        assertThatThrownBy(() -> bob.does(lock::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(isFree()).isFalse();

        ann.does(lock::unlock);
        assertThatThrownBy(() -> ann.does(lock::unlock)).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void lease_ofTheSameNameAndThread_isNotTheJdkLock() throws Exception {
        ann.does(() -> {
            try (Lease lease = job.acquire(Duration.ofSeconds(Await.SECONDS))) {
                assertThat(lock.tryLock()).isFalse();
                assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
                assertThat(lease.isHeld()).isTrue();
            }
        });
    }

    @Test
    void currentThreadLease_whileLocked_isThatThreadsLeaseOnly() throws Exception {
        assertThat(bob.calls(job::currentThreadLease)).isEmpty();
        ann.does(lock::lock);
        ann.does(lock::lock);
        Lease held = ann.calls(locks.named(JOB)::currentThreadLease).orElseThrow();

        assertThat(held.isHeld()).isTrue();
        assertThat(held.name()).isEqualTo(JOB);
        assertThat(bob.calls(job::currentThreadLease)).isEmpty();
        assertThat(ann.calls(locks.named("other")::currentThreadLease)).isEmpty();

        ann.does(lock::unlock);
        assertThat(ann.calls(job::currentThreadLease)).containsSame(held);
        ann.does(lock::unlock);
        assertThat(ann.calls(job::currentThreadLease)).isEmpty();
    }

    @Test
    void tryLock_withoutWait_sendsOneAcquireWithoutQueueing() throws Exception {
        elsewhere.named(JOB).acquire();
        assertThat(bob.<Boolean>calls(lock::tryLock)).isFalse();
        assertThat(bob.<Boolean>calls(() -> lock.tryLock(0, TimeUnit.SECONDS))).isFalse();
        assertThat(bob.<Boolean>calls(() -> lock.tryLock(Long.MIN_VALUE, TimeUnit.DAYS)))
                .isFalse();

        assertThat(store.acquires(JOB).skip(1).map(sent -> ((LockCommand.Acquire) sent.command()).queue()))
                .containsExactly(false, false, false);
    }

    @Test
    void tryLock_withATime_waitsThatLong() throws Exception {
        ann.does(lock::lock);
        assertThat(bob.<Boolean>calls(() -> lock.tryLock(150, TimeUnit.MILLISECONDS)))
                .isFalse();

        Future<Boolean> waiting = bob.beginsToCall(() -> lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
        bob.awaitWaiting();
        ann.does(lock::unlock);

        assertThat(Person.result(waiting)).isTrue();
        assertThat(isFree()).isFalse();
    }

    @Test
    void call_afterClose_throwsIllegalState() throws Exception {
        ann.does(lock::lock);
        ann.does(lock::lock);
        Future<?> waiting = bob.begins(lock::lock);
        bob.awaitWaiting();
        locks.close();

        assertThatIllegalState(() -> Person.result(waiting));
        for (Person.Order call : new Person.Order[] {
            lock::lock,
            lock::lockInterruptibly,
            lock::tryLock,
            () -> lock.tryLock(1, TimeUnit.SECONDS),
            lock::unlock,
            lock::unlock
        }) {
            assertThatIllegalState(() -> ann.does(call));
        }
        assertThatThrownBy(() -> ann.does(lock::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        Await.until("it is free, even if closing did not wait for so long", this::isFree);
    }

    private static void assertThatIllegalState(Person.Order call) {
        assertThatThrownBy(call::carryOut).isExactlyInstanceOf(IllegalStateException.class);
    }

    @Test
    void newCondition_always_throwsUnsupportedOperation() {
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
        assertThatCode(lock::toString).doesNotThrowAnyException();
    }

    private boolean isFree() {
        return Free.isFree(elsewhere, JOB);
    }
}
