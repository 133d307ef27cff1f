package dev.holdfast.lock.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.junit.TestLocks.Outage;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The events that an application's test can cause, on any store. */
abstract class TestLocksContract {

    private static final Duration LONG = Duration.ofMinutes(10);

    @Test
    void makeBusy_ofAFreeLock_keepsTheApplicationOut(Locks locks, TestLocks test) {
        try (Lease other = test.makeBusy("invoices")) {
            assertThat(locks.named("invoices").tryAcquire()).isEmpty();
            assertThat(other.state()).isEqualTo(LeaseState.HELD);
        }
        assertThat(locks.named("invoices").tryAcquire()).isPresent();
    }

    @Test
    void makeBusy_ofALockThatTheApplicationHolds_isRefused(Locks locks, TestLocks test) {
        Optional<Lease> own = locks.named("invoices").tryAcquire();
        assertThatThrownBy(() -> test.makeBusy("invoices"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'invoices'");
        assertThat(own.orElseThrow().state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void makeBusy_whenItsLeaseIsClosed_servesAWaitingCaller(Locks locks, TestLocks test) throws InterruptedException {
        Lease other = test.makeBusy("invoices");
        Thread release = new Thread(other::close);
        release.start();
        try (Lease own = locks.named("invoices").acquire(LONG)) {
            assertThat(own.state()).isEqualTo(LeaseState.HELD);
        }
        release.join();
    }

    @Test
    void lose_ofAHeldLock_returnsOnceTheApplicationHasNoticed(Locks locks, TestLocks test) throws InterruptedException {
        Lease lease = locks.named("invoices").acquire();
        test.lose("invoices");
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(locks.named("invoices").tryAcquire()).isPresent();
    }

    @Test
    void lose_ofAFreeLock_isRefused(TestLocks test) {
        assertThatThrownBy(() -> test.lose("invoices"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'invoices' is not held");
    }

    @Test
    void lose_ofALockKeptByAMinimumHold_isRefused(Locks locks, TestLocks test) {
        locks.named("invoices").withMinimumHold(LONG).tryAcquire().orElseThrow().close();
        assertThatThrownBy(() -> test.lose("invoices"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'invoices' is not held");
    }

    @Test
    void makeUnreachable_untilClosed_failsEveryCall(Locks locks, TestLocks test) {
        Outage outage = test.makeUnreachable();
        assertThatThrownBy(() -> locks.named("invoices").tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasStackTraceContaining("the test has made the store unreachable");
        outage.close();
        assertThat(locks.named("invoices").tryAcquire()).isPresent();
    }
}
