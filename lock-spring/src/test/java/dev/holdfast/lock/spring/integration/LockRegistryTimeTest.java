package dev.holdfast.lock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.locks.SteppedTime;
import dev.holdfast.lock.locks.WatchedStore;
import dev.holdfast.lock.testing.Await;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

/** The registry's times, in stepped time, and its keys. */
@SuppressWarnings("LockNotBeforeTry") // what is locked here ends with the test
class LockRegistryTimeTest {

    private static final String KEY = "orders";
    private static final Duration TTL = Duration.ofSeconds(10);
    /** The default lease of Holdfast. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks locks = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
    private final Locks elsewhere =
            DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
    private final HoldfastLockRegistry registry = new HoldfastLockRegistry(locks);
    private final DistributedLock lock = registry.obtain(KEY);

    @AfterEach
    void close() {
        time.close(locks, elsewhere);
    }

    @Test
    void lock_withoutATimeToLive_isRenewedForAsLongAsItIsHeld() {
        lock.lock();

        for (int renewals = 1; renewals <= 12; renewals++) {
            time.pass(LEASE.dividedBy(3));
            time.settle(); // its reply sets the next timer
            assertThat(store.renewals(KEY)).isEqualTo(renewals);
        }

        registry.renewLock(KEY);
        registry.renewLock(KEY, TTL);
        lock.unlock();
    }

    @Test
    void lock_withATimeToLive_endsWithIt() throws Exception {
        lock.lock(TTL);
        time.pass(TTL.minusMillis(100));
        assertThat(registry.currentLease(KEY).orElseThrow().isHeld()).isTrue();
        time.pass(Duration.ofMillis(100));

        assertThat(store.renewals(KEY)).isZero();
        assertThatThrownBy(lock::tryLock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> registry.renewLock(KEY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'" + KEY + "'");
        assertThatExceptionOfType(ConcurrentModificationException.class)
                .isThrownBy(lock::unlock)
                .withCauseInstanceOf(LockLostException.class);
        assertThat(lock.tryLock(Duration.ZERO, TTL)).as("anew").isTrue();
    }

    @Test
    void renewLock_withoutATime_extendsByTheTimeToLive() {
        lock.lock(TTL);
        time.pass(Duration.ofSeconds(9));
        registry.renewLock(KEY);

        time.pass(Duration.ofSeconds(9));
        lock.unlock();
    }

    @Test
    void renewLock_withATime_extendsByThatAndNeverShortens() {
        lock.lock(TTL);
        registry.renewLock(KEY, Duration.ofMinutes(5));
        registry.renewLock(KEY, TTL);

        time.pass(Duration.ofSeconds(299));
        lock.unlock();
    }

    @Test
    void renewLock_whenTheStoreIsSilent_keepsTheFormerEnd() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Duration length = Duration.ofHours(1); // far more than passes while a thread stands still
            Lease lease = Await.result(thread.submit(() -> {
                lock.lock(length);
                return registry.currentLease(KEY).orElseThrow();
            }));
            store.cut(KEY);
            Future<?> renewing = thread.submit(() -> registry.renewLock(KEY, Duration.ofHours(2)));
            time.passUntil("it gives up", renewing::isDone);
            assertThatThrownBy(() -> Await.result(renewing)).hasCauseInstanceOf(LockUnavailableException.class);
            assertThat(lease.isHeld()).isTrue();
            Duration before = lease.remaining();
            assertThat(before).isLessThan(length);
            store.heal(KEY);

            Await.result(thread.submit(() -> registry.renewLock(KEY, length)));
            assertThat(lease.remaining()).isGreaterThan(before);
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void lock_heldAlready_keepsTheKindOfLeaseOfTheFirstCall() {
        lock.lock();
        lock.lock(TTL);
        registry.renewLock(KEY);
        lock.unlock();
        lock.unlock();

        lock.lock(TTL);
        lock.lock();
        time.pass(TTL);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    }

    @Test
    void timeToLive_thatIsTooShort_isRefusedWithWords() {
        Duration tooShort = Duration.ofMillis(99);
        lock.lock(TTL);

        assertThatThrownBy(() -> registry.obtain("other").lock(tooShort))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("100ms");
        assertThatThrownBy(() -> registry.renewLock(KEY, tooShort)).isInstanceOf(IllegalArgumentException.class);
        assertThat(registry.currentLease("other")).isEmpty();
    }

    @Test
    void tryLock_withANegativeOrEndlessWait_takesAFreeLock() throws Exception {
        assertThat(lock.tryLock(Duration.ofSeconds(-1), TTL)).isTrue();
        assertThat(lock.tryLock(Duration.ofSeconds(Long.MAX_VALUE), TTL)).isTrue();
        assertThat(lock.tryLock(-1, TimeUnit.DAYS)).isTrue();
    }

    @Test
    void obtain_ofAKeyInUse_isTheSameObject() {
        assertThat(registry.obtain(KEY)).isSameAs(lock).isNotSameAs(registry.obtain("other"));
    }

    @Test
    void obtain_ofManyKeys_retainsNoUnusedLock() {
        WeakReference<?> unused = new WeakReference<>(registry.obtain("unused"));
        Await.until("it is forgotten", () -> {
            System.gc();
            return unused.get() == null;
        });
        assertThat(registry.obtain("unused").tryLock()).isTrue();
    }

    @Test
    void lock_afterItsObjectIsForgotten_isStillHeld() throws Exception {
        WeakReference<?> forgotten = lockAndForget();
        Await.until("it is forgotten", () -> {
            System.gc();
            return forgotten.get() == null;
        });

        assertThat(elsewhere.named("forgotten").tryAcquire()).isEmpty();
        registry.renewLock("forgotten");
        time.pass(TTL.minusMillis(100));
        registry.obtain("forgotten").unlock();
        assertThat(elsewhere.named("forgotten").tryAcquire()).isPresent();
    }

    private WeakReference<?> lockAndForget() {
        DistributedLock forgotten = registry.obtain("forgotten");
        forgotten.lock(TTL);
        return new WeakReference<>(forgotten);
    }

    @Test
    void obtain_withAPrefix_isTheLockOfThatName() {
        new HoldfastLockRegistry(locks, "integration:").obtain(KEY).lock();

        assertThat(elsewhere.named("integration:" + KEY).tryAcquire()).isEmpty();
        assertThat(elsewhere.named(KEY).tryAcquire()).isPresent();
    }

    @Test
    void obtain_ofKeysLongerThanAName_areDifferentLocks() {
        String path = "/a".repeat(300);
        registry.obtain(path + "1").lock();

        assertThat(new HoldfastLockRegistry(elsewhere).obtain(path + "1").tryLock())
                .isFalse();
        assertThat(new HoldfastLockRegistry(elsewhere).obtain(path + "2").tryLock())
                .isTrue();
        String longest = "😀".repeat(255);
        registry.obtain(longest).lock();
        assertThat(elsewhere.named(longest).tryAcquire())
                .as("is the name itself")
                .isEmpty();
    }

    @Test
    void obtain_ofAKeyThatIsNoName_isRefusedWithTheReason() {
        assertThatThrownBy(() -> registry.obtain(42))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("java.lang.Integer");
        assertThatThrownBy(() -> registry.obtain("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void newCondition_always_isUnsupported() {
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }
}
