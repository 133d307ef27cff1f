package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link Lease#holdAtLeast}: a minimum hold that is chosen while the lock is held. */
@Execution(ExecutionMode.CONCURRENT)
class HoldAtLeastTest {

    private static final String JOB = "job";
    private static final Duration MINIMUM = Duration.ofSeconds(5);

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks locks = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
    private final Locks elsewhere =
            DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
    private final DistributedLock job = locks.named(JOB).withFixedLease(Duration.ofMinutes(1));

    @AfterEach
    void close() {
        time.close(locks, elsewhere);
    }

    @Test
    void release_beforeTheNewMinimum_keepsTheLockBusyUntilThen() {
        Lease lease = job.tryAcquire().orElseThrow();
        time.pass(Duration.ofSeconds(4));
        lease.holdAtLeast(MINIMUM);
        time.pass(Duration.ofSeconds(1));
        assertThat(lease.release()).isTrue();

        time.pass(Duration.ofSeconds(4).minusMillis(1));
        assertThat(elsewhere.named(JOB).tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(1));
        assertThat(elsewhere.named(JOB).tryAcquire()).isPresent();
    }

    @Test
    void release_afterTheNewMinimum_freesTheLock() {
        Lease lease = job.tryAcquire().orElseThrow();
        lease.holdAtLeast(MINIMUM);
        time.pass(MINIMUM);
        lease.release();

        assertThat(elsewhere.named(JOB).tryAcquire()).isPresent();
    }

    @Test
    void holdAtLeast_zero_endsTheMinimumHoldOfTheLock() {
        Lease lease = job.withMinimumHold(MINIMUM).tryAcquire().orElseThrow();
        lease.holdAtLeast(Duration.ZERO);
        lease.release();

        assertThat(elsewhere.named(JOB).tryAcquire()).isPresent();
    }

    @Test
    void close_ofTheLocks_keepsTheNewMinimum() {
        job.tryAcquire().orElseThrow().holdAtLeast(MINIMUM);
        locks.close();
        Await.until("the release is sent, even if closing did not wait for so long", () -> store.releases(JOB) == 1);

        time.pass(MINIMUM.minusMillis(1));
        assertThat(elsewhere.named(JOB).tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(1));
        assertThat(elsewhere.named(JOB).tryAcquire()).isPresent();
    }

    @Test
    void release_ofARenewedLease_isNotHandedToAWaiterWithinTheMinimum() throws Exception {
        Lease lease = locks.named(JOB).acquire();
        try (Person waiter = new Person("waiter")) {
            Future<Lease> waiting = waiter.beginsToCall(() -> locks.named(JOB).acquire());
            waiter.awaitWaiting();
            lease.holdAtLeast(MINIMUM);
            lease.release();

            time.pass(MINIMUM.minusMillis(1));
            assertThat(waiting).isNotDone();
            time.passUntil("it is granted", waiting::isDone);
            assertThat(Person.result(waiting).isHeld()).isTrue();
        }
    }

    @Test
    void holdAtLeast_onALeaseThatIsOver_isRefused() {
        Lease released = job.tryAcquire().orElseThrow();
        released.release();
        assertThatThrownBy(() -> released.holdAtLeast(MINIMUM)).isInstanceOf(IllegalStateException.class);

        Lease lost = job.tryAcquire().orElseThrow();
        time.pass(Duration.ofMinutes(1));
        assertThatThrownBy(() -> lost.holdAtLeast(MINIMUM)).isInstanceOf(LockLostException.class);
        Await.until("the loss is released", () -> Free.isFree(elsewhere, JOB));
    }

    @Test
    void holdAtLeast_ofALengthThatIsNotAllowed_isRefused() {
        Lease lease = job.tryAcquire().orElseThrow();
        assertThatThrownBy(() -> lease.holdAtLeast(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lease.holdAtLeast(Duration.ofDays(40_000)))
                .isInstanceOf(IllegalArgumentException.class);
        lease.holdAtLeast(Duration.ofDays(36_500));
        time.pass(Duration.ofSeconds(1));
        assertThat(lease.release()).isTrue();
    }
}
