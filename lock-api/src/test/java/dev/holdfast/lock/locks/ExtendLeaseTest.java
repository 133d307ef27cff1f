package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What {@code Lease.extend} returns and throws. */
class ExtendLeaseTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks locks = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);

    @AfterEach
    void close() {
        time.close(locks);
    }

    private Lease fixed() throws InterruptedException {
        return locks.named("job").withFixedLease(Duration.ofSeconds(30)).acquire();
    }

    @Test
    void extend_ofFixedLease_keepsItBeyondItsFormerEnd() throws Exception {
        Lease lease = fixed();
        time.pass(Duration.ofSeconds(20));
        lease.extend(MINUTE);
        time.pass(Duration.ofSeconds(59));

        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(Free.isFree(locks, "job")).isFalse();
        time.pass(Duration.ofSeconds(1));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void extend_whenStoreIsSilent_throwsAndKeepsTheFormerEnd() throws Exception {
        Lease lease = fixed();
        store.cut("job");
        Person ann = new Person("ann");
        try (ann) {
            var extending = ann.begins(() -> lease.extend(MINUTE));
            Duration before = lease.remaining();
            Await.until("the store is asked", () -> store.renewals("job") > 0);
            time.passUntil("the call ends", extending::isDone);

            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(() -> Person.result(extending))
                    .withMessageContaining("lease of 'job'")
                    .withMessageContaining("keeps its former end");
            assertThat(lease.remaining()).isLessThan(before);
        } finally {
            store.heal("job");
        }
    }

    @Test
    void extend_ofLostLease_throwsAndDoesNotAskTheStore() throws Exception {
        Lease lease = fixed();
        time.pass(Duration.ofSeconds(30));

        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lease.extend(MINUTE));
        assertThat(store.renewals("job")).isZero();
    }

    @Test
    void extend_ofLeaseThatWasEndedAtStore_throwsAndLosesIt() throws Exception {
        Lease lease = fixed();
        store.end("job");

        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lease.extend(MINUTE));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void extend_ofReleasedLease_isRefused() throws Exception {
        Lease lease = fixed();
        lease.close();

        assertThatIllegalStateException()
                .isThrownBy(() -> lease.extend(MINUTE))
                .withMessage("the lease of 'job' was released");
    }

    @Test
    void extend_ofRenewedLease_isRefused() throws Exception {
        Lease lease = locks.named("job").acquire();

        assertThatIllegalStateException()
                .isThrownBy(() -> lease.extend(MINUTE))
                .withMessageContaining("renewed in the background")
                .withMessageContaining("withFixedLease");
    }

    @Test
    void extend_byLessThanAHundredMillis_isRefusedWithTheReason() throws Exception {
        Lease lease = fixed();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> lease.extend(Duration.ofMillis(99)))
                .withMessageContaining("99ms")
                .withMessageContaining("at least 100ms")
                .withMessageContaining("round trip");
    }

    @Test
    void extend_onInterruptedThread_extendsAndKeepsTheInterrupt() throws Exception {
        Lease lease = fixed();
        Thread.currentThread().interrupt();
        lease.extend(MINUTE);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(59));
    }
}
