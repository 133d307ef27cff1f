package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link DistributedLock#asLock()} when the lease is lost, the store is silent, or the thread is gone. */
@Execution(ExecutionMode.CONCURRENT)
class AsLockLossTest {

    private static final String JOB = "job";

    private final WatchedStore store = new WatchedStore();
    private final Locks locks = Locks.open(store, properties("9s"));
    private final Lock lock = locks.named(JOB).asLock();
    private final Locks elsewhere = Locks.open(store, properties("30s"));
    private final AtomicInteger losses = new AtomicInteger();
    private final Person ann = new Person("ann");

    AsLockLossTest() {
        locks.addListener(new LockListener() {
            @Override
            public void lost(String name, long fencingToken, LockLostException loss) {
                losses.incrementAndGet();
            }
        });
    }

    private static Properties properties(String lease) {
        Properties properties = new Properties();
        properties.setProperty("lock.lease", lease);
        return properties;
    }

    @AfterEach
    void close() {
        ann.close();
        locks.close();
        elsewhere.close();
    }

    @Test
    void aThreadThatLostItIsToldAtEachCallUntilItHasUnlockedAsOftenAsLocked() throws Exception {
        ann.does(lock::lock);
        ann.does(lock::lock);
        lose();

        for (Person.Order call : new Person.Order[] {
            lock::lock,
            lock::lockInterruptibly,
            lock::tryLock,
            () -> lock.tryLock(1, TimeUnit.SECONDS),
            lock::unlock,
            lock::unlock
        }) {
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> ann.does(call))
                    .withMessageContaining("'" + JOB + "'");
        }
        assertThatThrownBy(() -> ann.does(lock::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        ann.does(lock::lock);
        assertThat(elsewhere.named(JOB).tryAcquire()).as("held anew").isEmpty();
    }

    @Test
    void aLossIsTheThreadsThatHeldItAlone() throws Exception {
        ann.does(lock::lock);
        lose();
        try (Person bob = new Person("bob")) {
            assertThat(bob.<Boolean>answers(() -> lock.tryLock(Await.SECONDS, TimeUnit.SECONDS)))
                    .isTrue();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> ann.does(lock::unlock));
            assertThat(elsewhere.named(JOB).tryAcquire()).as("still bob's").isEmpty();
            bob.does(lock::unlock);
        }
    }

    @Test
    void aLossThatNobodyNoticedBeforeTheUnlockIsToldThen() throws Exception {
        Lock unnoticed = elsewhere.named(JOB).asLock();
        ann.does(unnoticed::lock);
        store.end(JOB);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> ann.does(unnoticed::unlock))
                .withMessageContaining("'" + JOB + "'");
        assertThatThrownBy(() -> ann.does(unnoticed::unlock)).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aSilentStoreIsUnavailable() {
        store.cut(JOB);

        for (Person.Order call :
                new Person.Order[] {lock::lock, lock::tryLock, () -> lock.tryLock(200, TimeUnit.MILLISECONDS)}) {
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> ann.does(call));
            assertThatThrownBy(() -> ann.does(lock::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        }
    }

    @Test
    void anUnansweredUnlockLeavesTheThreadWithoutTheLock() throws Exception {
        Lock cutOff = elsewhere.named(JOB).asLock();
        ann.does(cutOff::lock);
        store.cut(JOB);

        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> ann.does(cutOff::unlock));
        assertThatThrownBy(() -> ann.does(cutOff::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        store.heal(JOB);
        assertThat(ann.<Boolean>answers(() -> cutOff.tryLock(Await.SECONDS, TimeUnit.SECONDS)))
                .as("released in the background")
                .isTrue();
    }

    @Test
    void whatAThreadLeftLockedIsReleasedWithOneWarning() throws Exception {
        Lock left = elsewhere.named(JOB).asLock();
        try (StandardError printed = StandardError.listen()) {
            Person careless = new Person("careless");
            careless.does(left::lock);
            careless.does(left::lock);
            careless.leaves();

            assertThat(ann.<Boolean>answers(() -> left.tryLock(Await.SECONDS, TimeUnit.SECONDS)))
                    .isTrue();
            Person other = new Person("as careless");
            other.does(elsewhere.named("later").asLock()::lock);
            other.leaves();
            Await.until("it looks again", () -> store.releases("later") > 0);

            assertThat(printed.lines().filter(line -> line.contains("'careless'")))
                    .singleElement()
                    .asString()
                    .contains("WARN", "'" + JOB + "'");
            ann.does(left::unlock);
        }
    }

    @Test
    void nothingIsKeptForAThreadThatHoldsNothing() throws Exception {
        List<WeakReference<Thread>> threads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            threads.add(useAndLeave("name " + i));
        }
        Await.until("no thread is remembered", () -> {
            System.gc();
            return threads.stream().allMatch(thread -> thread.get() == null);
        });
        assertThat(ann.<Boolean>answers(lock::tryLock))
                .as("the locks are still in use")
                .isTrue();
    }

    private WeakReference<Thread> useAndLeave(String name) throws Exception {
        try (Person passing = new Person("passing")) {
            Lock passed = elsewhere.named(name).asLock();
            passing.does(passed::lock);
            passing.does(passed::lock);
            passing.does(passed::unlock);
            passing.does(passed::unlock);
            passing.leaves();
            return new WeakReference<>(passing.thread());
        }
    }

    private void lose() {
        store.end(JOB);
        Await.until("the loss is noticed", () -> losses.get() > 0);
    }
}
