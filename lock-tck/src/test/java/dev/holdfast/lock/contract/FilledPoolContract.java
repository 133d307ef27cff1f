package dev.holdfast.lock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store on the application's own pool, all connections of which the application needs for itself. */
@Timeout(300)
public abstract class FilledPoolContract {

    private static final Duration LEASE = Duration.ofSeconds(12);

    private final List<String> events = new CopyOnWriteArrayList<>();

    /** A store on a pool of the application's, which {@link #fill} fills. */
    protected abstract LockStore store() throws Exception;

    /** Takes all connections of the pool, until the result is closed. */
    protected abstract AutoCloseable fill() throws Exception;

    private void whileFilled(ThrowingCallable body) throws Exception {
        AutoCloseable connections = fill();
        try {
            body.call();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        } finally {
            connections.close();
        }
    }

    private Locks locks(LockStore store, String lease, String callTimeout) {
        Properties settings = new Properties();
        settings.setProperty("lock.lease", lease);
        settings.setProperty("lock.call-timeout", callTimeout);
        Locks locks = Locks.open(store, settings);
        locks.addListener(new LockListener() {
            @Override
            public void unconfirmed(String name, LeaseKind kind, long fencingToken, Duration remaining) {
                events.add("unconfirmed");
            }

            @Override
            public void confirmed(String name, LeaseKind kind, long fencingToken, Duration remaining) {
                events.add("confirmed");
            }

            @Override
            public void lost(String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
                events.add("lost");
            }
        });
        return locks;
    }

    @Test
    void acquire_whileThePoolIsFilled_isUnavailableAndSucceedsWhenItIsNot() throws Exception {
        try (LockStore store = store();
                Locks locks = locks(store, "10m", "500ms")) {
            Await.lease(locks.named("warm")).close();
            whileFilled(() -> {
                for (int attempt = 0; attempt < 3; attempt++) {
                    assertThatThrownBy(() -> locks.named("free").tryAcquire())
                            .isInstanceOf(LockUnavailableException.class);
                }
                assertThatThrownBy(() -> locks.named("free").acquire(Duration.ofSeconds(2)))
                        .isInstanceOf(LockUnavailableException.class);
            });
            Await.until("the lock is free, as none of the calls was granted it later", () -> {
                try {
                    return locks.named("free")
                            .tryAcquire(Duration.ofMinutes(1))
                            .map(lease -> {
                                lease.close();
                                return true;
                            })
                            .orElse(false);
                } catch (LockUnavailableException e) {
                    return false;
                }
            });
        }
    }

    @Test
    void lease_whenThePoolIsFilledForAWhile_isUnconfirmedAndThenHeldAgain() throws Exception {
        try (LockStore store = store();
                Locks locks = locks(store, DurationText.format(LEASE), "500ms")) {
            Await.until("a lease outlives the filled pool", () -> isConfirmedAgain(locks));
        }
    }

    /** Whether the pool was filled under a lease until that was unconfirmed; not if the lease ended, as the machine stood still. */
    private boolean isConfirmedAgain(Locks locks) throws Exception {
        events.clear();
        try (Lease lease = Await.lease(locks.named("held"))) {
            long start = System.nanoTime();
            whileFilled(() -> Await.until(
                    "a renewal got no connection", () -> events.contains("unconfirmed") || events.contains("lost")));
            Await.until("a renewal got one", () -> events.contains("confirmed") || events.contains("lost"));
            if (!events.contains("confirmed")) {
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .as("after which it was lost")
                        .isGreaterThan(LEASE.dividedBy(2));
                return false;
            }
            assertThat(events).startsWith("unconfirmed", "confirmed");
            assertThat(lease.name()).isEqualTo("held");
            return true;
        }
    }

    @Test
    void lease_whenThePoolIsFilledUntilItsEnd_isLostAndReportedOnce() throws Exception {
        try (LockStore store = store();
                Locks locks = locks(store, "2s", "500ms")) {
            Lease lease = Await.lease(locks.named("held"));
            whileFilled(() -> {
                Await.until("the loss is reported", () -> events.contains("lost"));
                assertThat(lease.state()).isEqualTo(LeaseState.LOST);
                assertThatThrownBy(lease::ensureHeld).isInstanceOf(LockLostException.class);
            });
            Await.until("the store is back", () -> {
                try {
                    locks.named("another").withLease(Duration.ofMinutes(10)).run(() -> {});
                    return true;
                } catch (LockUnavailableException e) {
                    return false;
                }
            });
            assertThat(events).containsOnlyOnce("lost");
        }
    }
}
