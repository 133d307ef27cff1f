package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.internal.time.DaemonThreads;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** What each object says once the locks are closed: that they are closed, not that a lease is lost. */
@Timeout(180)
class ClosedLocksTest {

    private static final Duration FIXED = Duration.ofMinutes(1);

    /** The thread of the test reads the clock this often before the locks are closed, in the middle of its call. */
    private final AtomicInteger readsUntilClose = new AtomicInteger(Integer.MAX_VALUE);

    private final Thread test = Thread.currentThread();
    private final Locks locks =
            DefaultLocks.open(LockConfiguration.resolved(memory()), new ClosingClock(), DaemonThreads::new);

    private static Properties memory() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "memory");
        return properties;
    }

    private final class ClosingClock implements Clock {
        @Override
        public DualClockInstant now() {
            DualClockInstant now = SYSTEM.now();
            if (Thread.currentThread() == test && readsUntilClose.decrementAndGet() == 0) {
                Thread closing = new Thread(locks::close);
                closing.start();
                try {
                    closing.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return now;
        }
    }

    @AfterEach
    void close() {
        locks.close();
    }

    private static void mustSayClosed(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalStateException.class).isNotInstanceOf(LockLostException.class);
    }

    @Test
    void unlock_whenTheLocksAreClosedInTheMiddleOfIt_throwsIllegalState() {
        Lock lock = locks.named("job").asLock();
        lock.lock();
        readsUntilClose.set(1); // its first look at the lease

        mustSayClosed(lock::unlock);
        assertThat(readsUntilClose).as("the close came between").hasValueLessThanOrEqualTo(0);
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void close_whileTheStoreDoesNotAnswer_namesWhatIsHeldAndGivesUp() throws Exception {
        SteppedTime time = new SteppedTime();
        WatchedStore store = new WatchedStore(time);
        Locks silent = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
        Lease held = silent.named("held").acquire();
        store.cut("held");
        try (StandardError log = StandardError.listen()) {
            time.close(silent);

            assertThat(log.lines())
                    .anyMatch(line -> line.contains("these locks are closed while 1 leases are held, 'held' with token "
                            + held.fencingToken() + ": they are released in the custom store now"))
                    .anyMatch(line -> line.contains("the store did not answer within 2000 ms while closing"));
        }
    }

    @Test
    void release_whenTheLocksAreClosedBeforeItsAnswer_saysThatItIsNotRepeated() throws Exception {
        SteppedTime time = new SteppedTime();
        WatchedStore store = new WatchedStore(time);
        Locks silent = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
        Lease lease = silent.named("job").acquire();
        store.cut("job");
        try (Person ann = new Person("ann")) {
            Future<?> releasing = ann.begins(lease::release);
            Await.until("the release is sent", () -> store.releases("job") > 0);
            time.close(silent);

            assertThatThrownBy(() -> Person.result(releasing))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessage("no result from the store for the release of 'job', which is not repeated any more:"
                            + " the lock may stay busy until its lease expires, as these locks were closed meanwhile");
        }
    }

    @Test
    void lease_whenTheLocksAreClosed_readsReleasedAndThrowsIllegalState() throws Exception {
        Lease renewed = locks.named("renewed").acquire();
        Lease fixed = locks.named("fixed").withFixedLease(FIXED).acquire();
        locks.close();

        assertThat(List.of(renewed.state(), fixed.state())).containsOnly(LeaseState.RELEASED);
        mustSayClosed(renewed::ensureHeld);
        mustSayClosed(() -> fixed.extend(FIXED));
        mustSayClosed(() -> fixed.holdAtLeast(FIXED));
        assertThat(renewed.release()).isFalse();
        renewed.close();
    }

    @Test
    void group_whenTheLocksAreClosed_readsReleasedAndThrowsIllegalState() throws Exception {
        LeaseGroup group = locks.acquireAll(List.of("a", "b"));
        locks.close();

        assertThat(group.state()).isEqualTo(LeaseState.RELEASED);
        mustSayClosed(group::ensureHeld);
        assertThat(group.release()).isFalse();
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // the close unlocks it
    void jdkLock_whenTheLocksAreClosed_throwsIllegalStateFromEveryMethod() {
        DistributedLock lock = locks.named("held");
        lock.asLock().lock();
        lock.asLock().lock();
        Lock other = locks.named("other").asLock();
        locks.close();

        mustSayClosed(() -> lock.asLock().lock());
        mustSayClosed(() -> lock.asLock().unlock());
        mustSayClosed(() -> lock.asLock().unlock());
        mustSayClosed(other::lock);
        mustSayClosed(other::tryLock);
    }

    @Test
    void request_whenTheLocksAreClosed_throwsIllegalState() {
        locks.close();

        mustSayClosed(() -> locks.named("job").acquire());
        mustSayClosed(() -> locks.named("job").tryAcquire());
        mustSayClosed(() -> locks.named("job").acquireAsync());
        mustSayClosed(() -> locks.named("job").run(() -> {}));
        mustSayClosed(() -> locks.acquireAll(List.of("a", "b")));
        mustSayClosed(() -> locks.elect("boss", lease -> {}));
    }
}
