package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link DistributedLock#asReadWriteLock()} as the JDK describes a pair of locks: owned by threads, and reentrant. */
@Execution(ExecutionMode.CONCURRENT)
class AsReadWriteLockTest extends OneJdkLock {

    private final ReadWriteLock pair = job.asReadWriteLock();
    private final Lock read = pair.readLock();
    private final Lock write = pair.writeLock();

    /** Whether another process could write. */
    private boolean isFree() {
        return Free.isFree(elsewhere, JOB);
    }

    @Test
    void readLock_ofTwoThreads_isHeldTogether() throws Exception {
        ann.does(read::lock);
        bob.does(read::lock);

        assertThat(elsewhere.named(JOB).tryAcquire()).isEmpty();
        ann.does(read::unlock);
        assertThat(elsewhere.named(JOB).tryAcquire()).isEmpty();
        bob.does(read::unlock);
        assertThat(isFree()).isTrue();
    }

    @Test
    void writeLock_excludesReaders_untilItIsUnlocked() throws Exception {
        ann.does(write::lock);
        assertThat(bob.<Boolean>calls(read::tryLock)).isFalse();
        assertThat(elsewhere.named(JOB).shared().tryAcquire()).isEmpty();
        ann.does(write::unlock);

        assertThat(bob.<Boolean>calls(read::tryLock)).isTrue();
        assertThat(ann.<Boolean>calls(write::tryLock)).isFalse();
    }

    @Test
    void readLock_isReentrant_withOneRequest() throws Exception {
        ann.does(read::lock);
        ann.does(read::lock);
        assertThat(ann.<Boolean>calls(job.shared().asLock()::tryLock)).isTrue();
        assertThat(store.acquires(JOB)).hasSize(1);

        for (int held = 3; held > 0; held--) {
            assertThat(isFree()).as("held %d times", held).isFalse();
            ann.does(read::unlock);
        }
        assertThat(isFree()).isTrue();
        assertThatThrownBy(() -> ann.does(read::unlock)).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void readLock_insideTheWriteLock_needsNoRequest() throws Exception {
        ann.does(write::lock);
        ann.does(read::lock);
        assertThat(store.acquires(JOB)).hasSize(1);

        ann.does(read::unlock);
        assertThat(isFree()).isFalse();
        ann.does(write::unlock);
        assertThat(isFree()).isTrue();
    }

    @Test
    void writeLock_unlockedBeforeTheReadLockInside_keepsTheExclusiveLease() throws Exception {
        ann.does(write::lock);
        ann.does(read::lock);
        ann.does(write::unlock);

        assertThat(bob.<Boolean>calls(read::tryLock)).isFalse();
        assertThatThrownBy(() -> ann.does(write::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(ann.<Boolean>calls(write::tryLock)).isTrue();
        ann.does(write::unlock);
        ann.does(read::unlock);
        assertThat(bob.<Boolean>calls(read::tryLock)).isTrue();
    }

    @Test
    void writeLock_insideTheReadLock_throwsAtOnce() throws Exception {
        ann.does(read::lock);

        assertThatThrownBy(() -> ann.does(write::lock))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("read lock of 'job'", "would wait for itself");
        assertThatThrownBy(() -> ann.<Boolean>calls(write::tryLock)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ann.does(write::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        ann.does(read::unlock);
        assertThat(isFree()).isTrue();
    }

    @Test
    void waitingWriteLock_stopsNewReadLocks() throws Exception {
        ann.does(read::lock);
        Future<?> writer = bob.begins(write::lock);
        bob.awaitWaiting();

        assertThat(elsewhere.named(JOB).shared().tryAcquire()).isEmpty();
        assertThat(ann.<Boolean>calls(read::tryLock))
                .as("a thread that reads may go on")
                .isTrue();
        ann.does(read::unlock);
        ann.does(read::unlock);
        Person.result(writer);
        bob.does(write::unlock);
    }
}
