package dev.holdfast.lock.spring.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.stores.TestStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What ShedLock asks of a provider, on real stores: two providers on locks of their own are as two nodes. */
@Tag("second-build")
@ParameterizedClass
@EnumSource
@Execution(ExecutionMode.CONCURRENT)
@Order(1)
class ShedLockContractTest {

    private static final String NAME = "nightly";
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration CLOCKS_AGREE = Duration.ofSeconds(1);

    private final Properties configuration;
    private final Locks locks;
    private final Locks otherLocks;
    private final HoldfastLockProvider provider;
    private final HoldfastLockProvider elsewhere;

    ShedLockContractTest(TestStore store) {
        configuration = store.newNamespace();
        locks = Locks.open(configuration);
        otherLocks = Locks.open(configuration);
        provider = new HoldfastLockProvider(locks);
        elsewhere = new HoldfastLockProvider(otherLocks);
    }

    @AfterEach
    void close() {
        locks.close();
        otherLocks.close();
    }

    private static LockConfiguration task(String name, Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.now(), name, atMost, atLeast);
    }

    private static Optional<SimpleLock> lock(HoldfastLockProvider provider) {
        return provider.lock(task(NAME, LONG, Duration.ZERO));
    }

    private boolean isFree() {
        Optional<SimpleLock> lock = lock(elsewhere);
        lock.ifPresent(SimpleLock::unlock);
        return lock.isPresent();
    }

    @Test
    void lock_whileLocked_isRefusedUntilUnlocked() {
        for (int time = 0; time < 5; time++) {
            SimpleLock lock = lock(provider).orElseThrow();
            assertThat(lock(provider)).isEmpty();
            assertThat(lock(elsewhere)).isEmpty();
            lock.unlock();
            assertThat(isFree()).isTrue();
        }
    }

    @Test
    void lock_ofTwoNames_isIndependent() {
        SimpleLock one = lock(provider).orElseThrow();
        SimpleLock other = provider.lock(task("other", LONG, Duration.ZERO)).orElseThrow();
        one.unlock();
        assertThat(isFree()).isTrue();
        other.unlock();
    }

    @Test
    void unlock_twice_isRefused() {
        SimpleLock lock = lock(provider).orElseThrow();
        lock.unlock();

        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> lock.extend(LONG, Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        assertThat(isFree()).isTrue();
    }

    @Test
    void lock_always_endsAtTheStoreAfterLockAtMostFor() {
        Instant before = Instant.now();
        assertThat(lock(provider)).isPresent();

        assertThat(TestStore.holder(configuration, NAME).until())
                .isBetween(
                        before.plus(LONG).minus(CLOCKS_AGREE),
                        Instant.now().plus(LONG).plus(CLOCKS_AGREE));
    }

    @Test
    void extend_ofALockTakenAway_leavesTheNextHolder() {
        SimpleLock lost = lock(provider).orElseThrow();
        TestStore.takeAway(configuration, NAME);
        SimpleLock next = lock(elsewhere).orElseThrow();

        assertThat(lost.extend(LONG, Duration.ZERO)).as("extended").isEmpty();
        assertThat(lock(provider)).as("beside the next holder").isEmpty();
        next.unlock();
    }

    @Test
    void unlock_ofALockTakenAway_leavesTheNextHolder() {
        SimpleLock lost = lock(provider).orElseThrow();
        TestStore.takeAway(configuration, NAME);
        assertThat(lock(elsewhere)).isPresent();

        lost.unlock();

        assertThat(lock(provider)).isEmpty();
    }

    @Test
    void unlock_beforeLockAtLeastFor_keepsTheLockBusyUntilThen() {
        Duration atLeast = Duration.ofMillis(500);
        long before = System.nanoTime();
        provider.lock(task(NAME, LONG, atLeast)).orElseThrow().unlock();

        Await.until("it is free", this::isFree);

        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(atLeast.toNanos());
    }

    @Test
    void extend_ofALock_movesItsEndAndItsMinimum() {
        SimpleLock lock = lock(provider).orElseThrow();
        SimpleLock extended = lock.extend(LONG, Duration.ZERO)
                .flatMap(again -> again.extend(LONG, LONG))
                .orElseThrow();

        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> lock.extend(LONG, LONG)).isInstanceOf(IllegalStateException.class);
        extended.unlock();
        assertThat(isFree()).as("before its minimum").isFalse();
    }

    @Test
    void extend_withoutAMinimum_endsTheFormerMinimum() {
        SimpleLock lock = provider.lock(task(NAME, LONG, LONG)).orElseThrow();
        lock.extend(LONG, Duration.ZERO).orElseThrow().unlock();

        assertThat(isFree()).isTrue();
    }

    @Test
    void tasks_ofThreadsOnTwoNodes_runOneAtATime() throws Exception {
        History history = new History();
        AtomicLong order = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            List<Future<?>> nodes = new ArrayList<>();
            for (HoldfastLockProvider each : List.of(provider, elsewhere)) {
                for (int number = 0; number < 3; number++) {
                    Claims claims = history.claimsOf(System.identityHashCode(each) + "-" + number);
                    LockingTaskExecutor executor = new DefaultLockingTaskExecutor(each);
                    nodes.add(threads.submit(() -> runTimes(10, executor, claims, order)));
                }
            }
            for (Future<?> each : nodes) {
                Await.result(each);
            }
        } finally {
            threads.shutdownNow();
        }
        history.verify(6 * 10);
    }

    /** ShedLock shows no token to its tasks: the order of their beginnings stands for it. */
    private static @Nullable Void runTimes(int times, LockingTaskExecutor executor, Claims claims, AtomicLong order) {
        AtomicLong runs = new AtomicLong();
        while (runs.get() < times) {
            try {
                executor.executeWithLock(
                        (Runnable) () -> {
                            claims.hold(NAME, order.incrementAndGet(), 0, () -> true);
                            runs.incrementAndGet();
                        },
                        task(NAME, LONG, Duration.ZERO));
            } catch (LockUnavailableException e) {
                // the store stood still: it is not run, and asked again
            }
        }
        return null;
    }
}
