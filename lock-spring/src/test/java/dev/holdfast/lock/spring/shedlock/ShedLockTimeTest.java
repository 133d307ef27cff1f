package dev.holdfast.lock.spring.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.locks.SteppedTime;
import dev.holdfast.lock.locks.WatchedStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** ShedLock's times, in stepped time, and what its users reach through its executor. */
class ShedLockTimeTest {

    private static final String NAME = "nightly";
    private static final Duration AT_MOST = Duration.ofSeconds(30);
    private static final Duration AT_LEAST = Duration.ofSeconds(10);

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks locks = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
    private final Locks otherLocks =
            DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
    private final HoldfastLockProvider provider = new HoldfastLockProvider(locks);
    private final HoldfastLockProvider elsewhere = new HoldfastLockProvider(otherLocks);

    @AfterEach
    void close() {
        store.heal(NAME);
        time.close(locks, otherLocks);
    }

    private static net.javacrumbs.shedlock.core.LockConfiguration task(Duration atMost, Duration atLeast) {
        return new net.javacrumbs.shedlock.core.LockConfiguration(Instant.now(), NAME, atMost, atLeast);
    }

    private boolean isFree() {
        Optional<SimpleLock> lock = elsewhere.lock(task(AT_MOST, Duration.ZERO));
        lock.ifPresent(SimpleLock::unlock);
        return lock.isPresent();
    }

    @Test
    void lock_ofANodeThatDied_isBusyForLockAtMostFor() {
        assertThat(provider.lock(task(AT_MOST, AT_LEAST))).isPresent();
        time.pass(AT_MOST.minusMillis(100));
        assertThat(isFree()).isFalse();
        time.pass(Duration.ofMillis(100));
        Await.until("it is free", this::isFree);
        assertThat(store.renewals(NAME)).isZero();
    }

    @Test
    void unlock_beforeLockAtLeastFor_keepsTheLockBusyUntilThen() {
        SimpleLock lock = provider.lock(task(AT_MOST, AT_LEAST)).orElseThrow();
        time.pass(Duration.ofSeconds(3));
        lock.unlock();

        time.pass(AT_LEAST.minusSeconds(3).minusMillis(1));
        assertThat(isFree()).isFalse();
        time.pass(Duration.ofMillis(1));
        assertThat(isFree()).isTrue();
    }

    @Test
    void extend_countsBothTimesFromNow() {
        SimpleLock lock = provider.lock(task(AT_MOST, Duration.ZERO)).orElseThrow();
        time.pass(Duration.ofSeconds(20));
        SimpleLock extended = lock.extend(AT_MOST, AT_LEAST).orElseThrow();
        time.pass(Duration.ofSeconds(5));
        extended.unlock();

        time.pass(Duration.ofSeconds(5).minusMillis(1));
        assertThat(isFree()).isFalse();
        time.pass(Duration.ofMillis(1));
        assertThat(isFree()).isTrue();
    }

    @Test
    void extend_outlastsTheFirstLockAtMostFor() {
        SimpleLock lock = provider.lock(task(AT_MOST, Duration.ZERO)).orElseThrow();
        time.pass(Duration.ofSeconds(20));
        SimpleLock extended = lock.extend(AT_MOST, Duration.ZERO).orElseThrow();

        time.pass(Duration.ofSeconds(29));
        assertThat(isFree()).isFalse();
        extended.unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void extend_ofAnExpiredLock_isEmpty() {
        SimpleLock lock = provider.lock(task(AT_MOST, Duration.ZERO)).orElseThrow();
        time.pass(AT_MOST);

        assertThat(lock.extend(AT_MOST, Duration.ZERO)).isEmpty();
        Await.until("it is free", this::isFree);
    }

    @Test
    void extend_whenTheStoreIsSilent_isUnavailableAndMayBeRepeated() throws Exception {
        SimpleLock lock =
                provider.lock(task(Duration.ofHours(1), Duration.ZERO)).orElseThrow();
        store.cut(NAME);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?> extending = thread.submit(() -> lock.extend(Duration.ofHours(2), Duration.ZERO));
            time.passUntil("it gives up", extending::isDone);
            assertThatThrownBy(() -> Await.result(extending)).hasCauseInstanceOf(LockUnavailableException.class);
        } finally {
            thread.shutdownNow();
        }
        store.heal(NAME);

        SimpleLock extended = lock.extend(Duration.ofHours(2), Duration.ZERO).orElseThrow();
        extended.unlock();
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_whenTheStoreIsSilent_isUnavailableAndNotBusy() throws Exception {
        store.cut(NAME);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?> locking = thread.submit(() -> provider.lock(task(AT_MOST, Duration.ZERO)));
            time.passUntil("it gives up", locking::isDone);
            assertThatThrownBy(() -> Await.result(locking)).hasCauseInstanceOf(LockUnavailableException.class);
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void lockAtMostFor_shorterThanTheShortestLease_isRaisedAndLoggedOnce() throws Throwable {
        try (StandardError printed = StandardError.listen()) {
            for (int times = 0; times < 2; times++) {
                SimpleLock lock = provider.lock(task(Duration.ofMillis(50), Duration.ZERO))
                        .orElseThrow();
                time.pass(Duration.ofMillis(60));
                assertThat(isFree()).as("after lockAtMostFor").isFalse();
                time.pass(Duration.ofMillis(60));
                assertThat(isFree()).as("after the shortest lease").isTrue();
                lock.unlock();
            }
            assertThat(printed.lines()
                            .filter(line -> line.contains(
                                    "lockAtMostFor PT0.05S of '" + NAME + "' is shorter than the shortest lease")))
                    .hasSize(1);
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void unlock_afterLockAtMostFor_warnsAndDoesNotHideTheResult() throws Throwable {
        try (StandardError printed = StandardError.listen()) {
            String result = new DefaultLockingTaskExecutor(provider)
                    .executeWithLock(
                            () -> {
                                time.pass(AT_MOST);
                                return "done";
                            },
                            task(AT_MOST, Duration.ZERO))
                    .getResult();

            assertThat(result).isEqualTo("done");
            assertThat(printed.lines().filter(line -> line.contains("lockAtMostFor PT30S")))
                    .singleElement()
                    .asString()
                    .contains("WARN", "'" + NAME + "'");
        }
    }

    @Test
    void extender_inATask_extendsItsLock() {
        new DefaultLockingTaskExecutor(provider)
                .executeWithLock(
                        (Runnable) () -> {
                            LockAssert.assertLocked();
                            for (int passed = 0; passed < 4; passed++) {
                                time.pass(Duration.ofSeconds(20));
                                LockExtender.extendActiveLock(AT_MOST, Duration.ZERO);
                            }
                            assertThat(isFree()).isFalse();
                        },
                        task(AT_MOST, Duration.ZERO));

        assertThat(isFree()).isTrue();
        assertThatThrownBy(() -> LockExtender.extendActiveLock(AT_MOST, Duration.ZERO))
                .isInstanceOf(LockExtender.NoActiveLockException.class);
    }

    @Test
    void extender_inATaskThatLostItsLock_isRefusedAndDoesNotHideTheResult() throws Throwable {
        String result = new DefaultLockingTaskExecutor(provider)
                .executeWithLock(
                        () -> {
                            time.pass(AT_MOST);
                            assertThatThrownBy(() -> LockExtender.extendActiveLock(AT_MOST, Duration.ZERO))
                                    .isInstanceOf(LockExtender.LockCanNotBeExtendedException.class);
                            return "done";
                        },
                        task(AT_MOST, Duration.ZERO))
                .getResult();

        assertThat(result).isEqualTo("done");
    }

    @Test
    void keepAliveProvider_ofShedLock_wrapsTheProvider() {
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        try {
            SimpleLock lock = new KeepAliveLockProvider(provider, scheduler)
                    .lock(task(AT_MOST, Duration.ZERO))
                    .orElseThrow();
            assertThat(isFree()).isFalse();
            lock.unlock();
            assertThat(isFree()).isTrue();
        } finally {
            scheduler.shutdownNow();
        }
    }

    @Test
    void withRenewal_keepsTheLockForAsLongAsTheTaskTakes() {
        SimpleLock lock =
                provider.withRenewal().lock(task(AT_MOST, Duration.ZERO)).orElseThrow();
        for (int renewals = 1; renewals <= 6; renewals++) {
            time.pass(Duration.ofSeconds(10));
            time.settle(); // its reply sets the next timer
            assertThat(store.renewals(NAME)).isEqualTo(renewals);
        }
        assertThat(isFree()).isFalse();

        lock.extend(AT_MOST, AT_LEAST).orElseThrow().unlock();
        time.pass(AT_LEAST.minusMillis(1));
        assertThat(isFree()).isFalse();
        time.pass(Duration.ofMillis(1));
        assertThat(isFree()).isTrue();
    }
}
