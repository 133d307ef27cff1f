package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link DistributedLock#asLock()} as the JDK describes a lock: held by a thread, counted, interrupted. */
@Execution(ExecutionMode.CONCURRENT)
class AsLockTest {

    private static final String JOB = "job";

    private final WatchedStore store = new WatchedStore();
    private final Locks locks = Locks.open(store, properties());
    private final DistributedLock job = locks.named(JOB);
    private final Lock lock = job.asLock();
    /** Another process, as it were. */
    private final Locks elsewhere = Locks.open(store, new Properties());

    private final Person ann = new Person("ann");
    private final Person bob = new Person("bob");

    private static Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("lock.wait", "200ms");
        return properties;
    }

    @AfterEach
    void close() {
        ann.close();
        bob.close();
        locks.close();
        elsewhere.close();
    }

    @Test
    void itExcludesOtherThreadsAndOtherProcesses() throws Exception {
        ann.does(lock::lock);

        assertThat(bob.<Boolean>answers(lock::tryLock)).isFalse();
        assertThat(elsewhere.named(JOB).tryAcquire()).isEmpty();
        assertThat(bob.<Boolean>answers(locks.named("other").asLock()::tryLock)).isTrue();

        ann.does(lock::unlock);
        assertThat(bob.<Boolean>answers(lock::tryLock)).isTrue();
    }

    @Test
    void itIsCountedWhicheverViewItWasAskedOf() throws Exception {
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
    void theLeaseIsAsItsViewSays() throws Exception {
        ann.does(job.withFixedLease(Duration.ofMillis(200)).asLock()::lock);
        bob.does(locks.named("renewed").withLease(Duration.ofSeconds(9)).asLock()::lock);

        assertThat(store.acquires(JOB).map(asked -> ((Step.Acquire) asked.step()).length()))
                .containsOnly(Duration.ofMillis(200));
        Await.until("it is renewed", () -> store.renewals("renewed") > 0);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> ann.does(lock::unlock))
                .withMessageContaining("fixed length");
        assertThat(store.renewals(JOB)).isZero();
    }

    @Test
    void whoDoesNotHoldItCannotUnlockIt() throws Exception {
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
    void aLeaseOfTheSameNameIsNotTheThreads() throws Exception {
        ann.does(() -> {
            try (Lease lease = job.acquire(Duration.ofSeconds(Await.SECONDS))) {
                assertThat(lock.tryLock()).isFalse();
                assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
                assertThat(lease.isHeld()).isTrue();
            }
        });
    }

    @Test
    void lockWaitsLongerThanOtherWaits() throws Exception {
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
            Await.until("one of them has it", () -> uninterruptible.isDone() || interruptible.isDone());
            (uninterruptible.isDone() ? bob : carl).does(lock::unlock);
            Person.result(uninterruptible);
            Person.result(interruptible);
        }
    }

    @Test
    void lockIsNotEndedByInterruptsAndKeepsTheFlag() throws Exception {
        ann.does(lock::lock);
        Future<Boolean> flag = bob.beginsToAnswer(() -> {
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
    void anInterruptLeavesLockInItsPlace() throws Exception {
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
            Await.until("one of them has it", () -> first.isDone() || second.isDone());
            assertThat(first.isDone()).as("whether bob has it").isTrue();
            bob.does(lock::unlock);
            Person.result(second);
        }
    }

    @Test
    void lockAndTryLockWorkOnAnInterruptedThread() throws Exception {
        List<Person.Order> ways =
                List.of(lock::lock, () -> assertThat(lock.tryLock()).isTrue());
        for (Person.Order way : ways) {
            ann.does(() -> {
                Thread.currentThread().interrupt();
                way.carryOut();
                way.carryOut();
                lock.unlock();
                lock.unlock();
                assertThat(Thread.interrupted()).as("the flag").isTrue();
            });
            assertThat(isFree()).isTrue();
        }
    }

    @Test
    void aWaitIsEndedByAnInterruptAndNothingIsHeldLater() throws Exception {
        List<Person.Order> waits = List.of(lock::lockInterruptibly, () -> lock.tryLock(60, TimeUnit.SECONDS));
        for (Person.Order wait : waits) {
            ann.does(lock::lock);
            Future<?> waiting = bob.begins(wait);
            bob.awaitWaiting();
            bob.interrupt();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Person.result(waiting));
            ann.does(lock::unlock);
            Await.until("what bob waited by is undone", this::isFree);
            assertThatThrownBy(() -> bob.does(lock::unlock)).isInstanceOf(IllegalMonitorStateException.class);
        }
    }

    @Test
    void anInterruptBeforeAWaitIsToldThoughNothingHadToBeWaitedFor() throws Exception {
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

    @Test
    void tryLockAsksOnce() throws Exception {
        elsewhere.named(JOB).acquire();
        assertThat(bob.<Boolean>answers(lock::tryLock)).isFalse();
        assertThat(bob.<Boolean>answers(() -> lock.tryLock(0, TimeUnit.SECONDS)))
                .isFalse();
        assertThat(bob.<Boolean>answers(() -> lock.tryLock(Long.MIN_VALUE, TimeUnit.DAYS)))
                .isFalse();

        assertThat(store.acquires(JOB).skip(1).map(asked -> ((Step.Acquire) asked.step()).queue()))
                .containsExactly(false, false, false);
    }

    @Test
    void tryLockWithATimeWaitsThatLong() throws Exception {
        ann.does(lock::lock);
        assertThat(bob.<Boolean>answers(() -> lock.tryLock(150, TimeUnit.MILLISECONDS)))
                .isFalse();

        Future<Boolean> waiting = bob.beginsToAnswer(() -> lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
        bob.awaitWaiting();
        ann.does(lock::unlock);

        assertThat(Person.result(waiting)).isTrue();
        assertThat(isFree()).isFalse();
    }

    @Test
    void aClosedLockIsNeitherLockedNorUnlocked() throws Exception {
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
        assertThat(isFree()).isTrue();
    }

    private static void assertThatIllegalState(Person.Order call) {
        assertThatThrownBy(call::carryOut).isExactlyInstanceOf(IllegalStateException.class);
    }

    @Test
    void thereAreNoConditions() {
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
        assertThatCode(lock::toString).doesNotThrowAnyException();
    }

    @Test
    void manyThreadsExcludeEachOther() throws Exception {
        int[] counter = {0};
        List<Person> people = new ArrayList<>();
        List<Future<?>> work = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                Person person = new Person("person " + i);
                people.add(person);
                work.add(person.begins(() -> {
                    for (int times = 0; times < 25; times++) {
                        Lock own = locks.named(JOB).asLock();
                        own.lock();
                        try {
                            counter[0]++;
                        } finally {
                            own.unlock();
                        }
                    }
                }));
            }
            for (Future<?> one : work) {
                Person.result(one);
            }
        } finally {
            people.forEach(Person::close);
        }
        assertThat(counter[0]).isEqualTo(200);
    }

    private boolean isFree() {
        return Free.isFree(elsewhere, JOB);
    }
}
