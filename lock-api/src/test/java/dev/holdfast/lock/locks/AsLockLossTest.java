package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** {@link DistributedLock#asLock()} when the lease is lost, the store is silent, or the thread has ended. */
@Execution(ExecutionMode.CONCURRENT)
class AsLockLossTest {

    private static final String JOB = "job";
    private static final Duration RENEWAL = Duration.ofSeconds(10);
    /** The interval of the search for ended threads. */
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks locks = DefaultLocks.open(LockConfiguration.of(store, properties("30s")), time, time::threads);
    private final Lock lock = locks.named(JOB).asLock();
    /** Its leases do not end in the time of a test. */
    private final Locks elsewhere =
            DefaultLocks.open(LockConfiguration.of(store, properties("1d")), time, time::threads);

    private final AtomicInteger losses = new AtomicInteger();
    private final Person ann = new Person("ann");

    AsLockLossTest() {
        locks.addListener(new LockListener() {
            @Override
            public void lost(String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
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
        time.close(locks, elsewhere);
    }

    @Test
    void call_afterALoss_throwsUntilUnlockedAsOftenAsLocked() throws Exception {
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
    void loss_whenAnotherThreadLocksNext_isReportedToTheLosingThreadOnly() throws Exception {
        ann.does(lock::lock);
        lose();
        try (Person bob = new Person("bob")) {
            Await.until("it is released", () -> Free.isFree(elsewhere, JOB));
            bob.does(lock::lock);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> ann.does(lock::unlock));
            assertThat(elsewhere.named(JOB).tryAcquire()).as("still bob's").isEmpty();
            bob.does(lock::unlock);
        }
    }

    @Test
    void currentThreadLease_afterALoss_isTheLostLeaseUntilUnlocked() throws Exception {
        ann.does(lock::lock);
        lose();

        assertThat(ann.calls(locks.named(JOB)::currentThreadLease))
                .map(Lease::state)
                .contains(LeaseState.LOST);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> ann.does(lock::unlock));
        assertThat(ann.calls(locks.named(JOB)::currentThreadLease)).isEmpty();
    }

    @Test
    void unlock_afterAnUnnoticedLoss_throwsLockLost() throws Exception {
        Lock unnoticed = elsewhere.named(JOB).asLock();
        ann.does(unnoticed::lock);
        store.end(JOB);

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> ann.does(unnoticed::unlock))
                .withMessageContaining("'" + JOB + "'");
        assertThatThrownBy(() -> ann.does(unnoticed::unlock)).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void asLock_ofAViewWithALease_usesThatLease() throws Exception {
        ann.does(locks.named(JOB).withFixedLease(Duration.ofSeconds(20)).asLock()::lock);
        ann.does(locks.named("renewed").withLease(Duration.ofSeconds(12)).asLock()::lock);
        time.pass(Duration.ofSeconds(4));
        Await.until("it is renewed", () -> store.renewals("renewed") > 0);
        time.pass(Duration.ofSeconds(16));

        assertThat(store.acquires(JOB).map(sent -> ((LockCommand.Acquire) sent.command()).lease()))
                .containsOnly(Duration.ofSeconds(20));
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> ann.does(lock::unlock))
                .withMessageContaining("fixed length");
        assertThat(store.renewals(JOB)).isZero();
    }

    @Test
    void lock_whenTheStoreIsSilent_isUnavailable() {
        store.cut(JOB);

        for (Person.Order call :
                new Person.Order[] {lock::lock, lock::tryLock, () -> lock.tryLock(200, TimeUnit.MILLISECONDS)}) {
            assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> doWhileTimePasses(call));
            assertThatThrownBy(() -> ann.does(lock::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        }
    }

    @Test
    void unlock_whenTheStoreIsSilent_isUnavailableAndReleasesLater() throws Exception {
        Lock cutOff = elsewhere.named(JOB).asLock();
        ann.does(cutOff::lock);
        store.cut(JOB);

        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> doWhileTimePasses(cutOff::unlock));
        assertThatThrownBy(() -> ann.does(cutOff::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        store.heal(JOB);
        time.passUntil("it is released in the background", () -> Free.isFree(elsewhere, JOB));
        ann.does(cutOff::lock);
    }

    /** Lets time pass until the call ends: it retries its commands before it fails. */
    private void doWhileTimePasses(Person.Order call) throws Exception {
        Future<?> begun = ann.begins(call);
        time.passUntil("the call ends", begun::isDone);
        Person.result(begun);
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void lock_leftLockedByAnEndedThread_isReleasedWithOneWarning() throws Exception {
        Lock left = elsewhere.named(JOB).asLock();
        try (StandardError printed = StandardError.listen()) {
            Person careless = new Person("careless");
            Person later = new Person("later");
            careless.does(left::lock);
            careless.does(left::lock);
            later.does(elsewhere.named("later").asLock()::lock);
            careless.leaves();
            time.pass(CHECK_INTERVAL);
            Await.until("it is released", () -> Free.isFree(locks, JOB));
            assertThat(Free.isFree(locks, "later")).isFalse();

            later.leaves();
            time.pass(CHECK_INTERVAL);
            Await.until("it is released at the next check", () -> Free.isFree(locks, "later"));

            assertThat(printed.lines().filter(line -> line.contains("'careless'")))
                    .singleElement()
                    .asString()
                    .contains("WARN", "'" + JOB + "'");
        }
    }

    @Test
    void thread_afterItsLastUnlock_isNotRetained() throws Exception {
        List<WeakReference<Thread>> threads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            threads.add(useAndLeave("name " + i));
        }
        Await.until("no thread is retained", () -> {
            System.gc();
            return threads.stream().allMatch(thread -> thread.get() == null);
        });
        assertThat(ann.<Boolean>calls(lock::tryLock))
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
        time.pass(RENEWAL);
        Await.until("the loss is noticed", () -> losses.get() > 0);
    }
}
