package dev.holdfast.lock.composite.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A database that is away for longer than an authority lease ends every lease; afterwards locks are granted again. */
@Tag("first-build")
class AuthorityOutageTest {

    private static final Duration AUTHORITY_LEASE = Duration.ofSeconds(2);
    private static final Duration TICK = Duration.ofMillis(2);

    @Test
    void leases_whenTheAuthorityIsAway_endWithTheAuthorityLeaseAndLocksAreGrantedLater() throws Exception {
        try (Composites composites = new Composites()) {
            Properties configuration = composites.configuration("away");
            configuration.setProperty("lock.provider", "composite"); // by the clocks of the machine
            configuration.setProperty("lock.composite.authority-lease", DurationText.format(AUTHORITY_LEASE));
            configuration.setProperty("lock.call-timeout", "5s"); // after which those of a database that is away fail
            try (Locks locks = composites.open(configuration)) {
                AtomicLong told = new AtomicLong();
                Lease lease = Await.lease(locks.named("job"));
                lease.onLost(loss -> told.set(System.nanoTime()));

                long before = System.nanoTime();
                Duration promised = lease.remaining(); // nothing, if all stood still for so long that it is over
                composites.postgres().freeze();
                long after = System.nanoTime();
                long heldAt = before;
                for (long now = before; lease.isHeld(); now = System.nanoTime()) {
                    heldAt = now;
                    LockSupport.parkNanos(TICK.toNanos());
                }
                long lostAt = System.nanoTime();

                assertThat(promised).isLessThanOrEqualTo(AUTHORITY_LEASE);
                assertThat(heldAt - after)
                        .as("held, since the last answer may have been asked for")
                        .isLessThanOrEqualTo(AUTHORITY_LEASE.toNanos());
                assertThat(lostAt - before)
                        .as("lost, since so much was promised")
                        .isGreaterThanOrEqualTo(promised.toNanos());
                assertThat(lease.state()).isEqualTo(LeaseState.LOST);
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(lease::ensureHeld)
                        .withMessageContaining("the store's permission to grant was not confirmed in time")
                        .withMessageMatching(".*(: the authority of the composite does not answer; check its database"
                                + "|, as this process or its machine stood still)");
                Await.until("the loss is told", () -> told.get() != 0);
                if (!promised.isZero()) {
                    assertThat(told.get() - before).isGreaterThanOrEqualTo(promised.toNanos());
                }
                assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> locks.named("job").tryAcquire());
                assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> locks.named("other").acquire());

                composites.postgres().thaw();

                assertThat(Await.lease(locks.named("other")).fencingToken()).isGreaterThan(lease.fencingToken());
            }
        }
    }
}
