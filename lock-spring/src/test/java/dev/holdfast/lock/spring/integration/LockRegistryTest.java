package dev.holdfast.lock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spring.stores.TestStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.integration.support.locks.DistributedLock;

/** What Spring Integration asks of a registry, on real stores: two registries on locks of their own are as two processes. */
@ParameterizedClass
@EnumSource
@Execution(ExecutionMode.CONCURRENT)
@SuppressWarnings("LockNotBeforeTry") // what is locked here ends with the test
@Tag("second-build")
@Order(1)
class LockRegistryTest {

    private static final String KEY = "orders:42";
    /** Not that of {@code lock.lease}. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private static final Duration LONGER = Duration.ofMinutes(20);
    private static final Duration CLOCKS_AGREE = Duration.ofSeconds(1);

    private final Properties configuration;
    private final Locks locks;
    private final Locks otherLocks;
    private final HoldfastLockRegistry registry;
    private final HoldfastLockRegistry elsewhere;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    LockRegistryTest(TestStore store) {
        configuration = store.newNamespace();
        locks = Locks.open(configuration);
        otherLocks = Locks.open(configuration);
        registry = new HoldfastLockRegistry(locks);
        elsewhere = new HoldfastLockRegistry(otherLocks);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        locks.close();
        otherLocks.close();
    }

    @Test
    void lock_ofOneThread_isReentrantThroughEveryCall() throws Exception {
        List<Callable<Boolean>> calls = List.of(
                () -> {
                    registry.obtain(KEY).lock();
                    return true;
                },
                () -> {
                    registry.obtain(KEY).lockInterruptibly();
                    return true;
                },
                () -> {
                    registry.obtain(KEY).lock(LONG);
                    return true;
                },
                () -> registry.obtain(KEY).tryLock(),
                () -> registry.obtain(KEY).tryLock(0, TimeUnit.SECONDS),
                () -> registry.obtain(KEY).tryLock(Duration.ZERO, LONG));
        for (Callable<Boolean> call : calls) {
            assertThat(call.call()).isTrue();
        }

        for (int held = calls.size(); held > 0; held--) {
            assertThat(isFreeElsewhere(KEY)).as("locked %d times", held).isFalse();
            registry.obtain(KEY).unlock();
        }
        assertThat(isFreeElsewhere(KEY)).isTrue();
    }

    @Test
    void lock_ofAnotherKey_isIndependent() {
        registry.obtain(KEY).lock();

        assertThat(isFreeElsewhere("orders:43")).isTrue();
        assertThat(registry.obtain("orders:43").tryLock()).isTrue();
        assertThat(isFreeElsewhere(KEY)).isFalse();
    }

    @Test
    void tryLock_byAnotherThread_isRefusedAndOwnsNothing() throws Exception {
        registry.obtain(KEY).lock();

        assertThat(inAnotherThread(() -> registry.obtain(KEY).tryLock())).isFalse();
        assertThat(inAnotherThread(() -> registry.obtain(KEY).tryLock(20, TimeUnit.MILLISECONDS)))
                .isFalse();
        assertThat(inAnotherThread(() -> registry.obtain(KEY).tryLock(Duration.ofMillis(20), LONG)))
                .isFalse();
        assertThatThrownBy(() -> unlockInAnotherThread(registry.obtain(KEY)))
                .hasCauseInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("does not own the lock '" + KEY + "'");
        assertThat(isFreeElsewhere(KEY)).isFalse();
    }

    @Test
    void unlock_whenNotLocked_isRefused() {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(registry.obtain(KEY)::unlock)
                .withMessageContaining("own", "'" + KEY + "'");
    }

    @Test
    void lock_whileHeldElsewhere_waitsForTheUnlock() throws Exception {
        DistributedLock held = registry.obtain(KEY);
        held.lock();
        Future<Boolean> waiting = threads.submit(() -> elsewhere.obtain(KEY).tryLock(Await.HANG, LONG));
        Await.until("it waits at the store", () -> isWaitedFor());
        assertThat(waiting).isNotDone();

        held.unlock();

        assertThat(Await.result(waiting)).isTrue();
        assertThat(registry.obtain(KEY).tryLock()).isFalse();
    }

    @Test
    void lockInterruptibly_whenInterrupted_doesNotHold() throws Exception {
        registry.obtain(KEY).lock();
        CountDownLatch begun = new CountDownLatch(1);
        List<Throwable> thrown = new ArrayList<>();
        Thread waiter = new Thread(() -> {
            begun.countDown();
            try {
                elsewhere.obtain(KEY).lockInterruptibly();
            } catch (InterruptedException e) {
                thrown.add(e);
            }
        });
        waiter.start();
        Await.opened(begun);
        Await.until("it waits at the store", () -> isWaitedFor());
        waiter.interrupt();
        waiter.join();

        assertThat(thrown).singleElement().isInstanceOf(InterruptedException.class);
        registry.obtain(KEY).unlock();
        Await.until("its place in the queue is withdrawn", registry.obtain(KEY)::tryLock);
    }

    @Test
    void lock_contendedByThreadsOfTwoRegistries_hasOneHolderAtATime() throws Exception {
        History history = new History();
        List<Future<?>> contenders = new ArrayList<>();
        for (HoldfastLockRegistry each : List.of(registry, elsewhere)) {
            for (int number = 0; number < 3; number++) {
                Claims claims = history.claimsOf(each + " " + System.identityHashCode(each) + " " + number);
                contenders.add(threads.submit(() -> contend(each, claims)));
            }
        }
        for (Future<?> each : contenders) {
            Await.result(each);
        }

        history.verify(6 * 8);
    }

    private static @Nullable Void contend(HoldfastLockRegistry registry, Claims claims) throws Exception {
        for (int round = 0; round < 8; round++) {
            if (round % 2 == 0) {
                registry.obtain(KEY).lock();
            } else {
                registry.obtain(KEY).lock(LONG);
            }
            try {
                claims.hold(registry.currentLease(KEY).orElseThrow());
            } finally {
                registry.obtain(KEY).unlock();
            }
        }
        return null;
    }

    @Test
    void unlock_ofALockTakenAway_isReportedAndLeavesTheNextHolder() throws Exception {
        DistributedLock lost = registry.obtain(KEY);
        lost.lock(LONG);
        TestStore.takeAway(configuration, KEY);
        assertThat(elsewhere.obtain(KEY).tryLock(Await.HANG, LONG)).isTrue();

        assertThatExceptionOfType(ConcurrentModificationException.class)
                .isThrownBy(lost::unlock)
                .withMessageContaining("'" + KEY + "'");

        assertThat(elsewhere.currentLease(KEY).orElseThrow().isHeld()).isTrue();
        assertThat(lost.tryLock()).as("held by the next holder").isFalse();
    }

    @Test
    void timeToLive_ofALockAndOfItsRenewal_isThatOfTheStore() {
        DistributedLock lock = registry.obtain(KEY);
        assertHeldFor(LONG, () -> lock.lock(LONG));
        assertHeldFor(LONGER, () -> registry.renewLock(KEY, LONGER));

        lock.unlock();
        assertThat(isFreeElsewhere(KEY)).isTrue();
    }

    private void assertHeldFor(Duration timeToLive, Runnable call) {
        Instant before = Instant.now();
        call.run();
        assertThat(TestStore.holder(configuration, KEY).until())
                .isBetween(
                        before.plus(timeToLive).minus(CLOCKS_AGREE),
                        Instant.now().plus(timeToLive).plus(CLOCKS_AGREE));
    }

    @Test
    void renewLock_ofAThreadThatDoesNotHold_isRefused() throws Exception {
        assertThatThrownBy(() -> registry.renewLock(KEY)).isInstanceOf(IllegalMonitorStateException.class);
        registry.obtain(KEY).lock();
        assertThatThrownBy(() -> inAnotherThread(() -> {
                    registry.renewLock(KEY, LONG);
                    return true;
                }))
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(() -> elsewhere.renewLock(KEY)).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void executeLocked_runsUnderTheLock_andTimesOutWhileBusy() throws Exception {
        boolean wasFree = registry.executeLocked(KEY, () -> isFreeElsewhere(KEY));
        assertThat(wasFree).isFalse();
        assertThat(isFreeElsewhere(KEY)).isTrue();

        elsewhere.obtain(KEY).lock();
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> registry.executeLocked(KEY, Duration.ZERO, () -> true));
    }

    private boolean isWaitedFor() {
        try (LockAdmin admin = LockAdmin.of(configuration);
                Stream<LockInfo> found = admin.locks(KEY)) {
            return found.anyMatch(lock -> !lock.waiters().isEmpty());
        }
    }

    private boolean isFreeElsewhere(String key) {
        return elsewhereIsFree(elsewhere.obtain(key));
    }

    private static boolean elsewhereIsFree(Lock lock) {
        boolean locked = lock.tryLock();
        if (locked) {
            lock.unlock();
        }
        return locked;
    }

    private <T> T inAnotherThread(Callable<T> call) throws Exception {
        return Await.result(threads.submit(call));
    }

    private void unlockInAnotherThread(Lock lock) throws Exception {
        Await.result(threads.submit(lock::unlock));
    }
}
