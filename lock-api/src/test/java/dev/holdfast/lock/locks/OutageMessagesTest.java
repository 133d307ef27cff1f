package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.failover.StaleTermException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an application reads when the store has not answered: why, in one line and without secrets. */
class OutageMessagesTest {

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks locks = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);

    @AfterEach
    void close() {
        store.heal("job");
        time.close(locks);
    }

    /** The message of the exception with which a call ends while the store fails for this reason. */
    private String message(Person.Order call, RuntimeException why) {
        store.cut("job", why);
        store.cut("holdfast-ping", why);
        try (Person ann = new Person("ann")) {
            Future<?> calling = ann.begins(call);
            time.passUntil("the call ends", calling::isDone);
            LockUnavailableException thrown =
                    catchThrowableOfType(LockUnavailableException.class, () -> Person.result(calling));
            assertThat(thrown).hasCause(why);
            return thrown.getMessage();
        }
    }

    private List<String> messages(RuntimeException why) throws InterruptedException {
        Lease lease = locks.named("job").withFixedLease(Duration.ofMinutes(1)).acquire();
        return List.of(
                message(() -> lease.extend(Duration.ofMinutes(2)), why),
                message(lease::release, why),
                message(() -> locks.named("job").tryAcquire(), why),
                message(() -> locks.admin().ping(), why));
    }

    @Test
    void failureOfAStore_withASecretInIt_isToldWithoutIt() throws Exception {
        assertThat(messages(new IllegalStateException("no way to redis://:hunter2@store:6379\n at all")))
                .allSatisfy(message -> assertThat(message)
                        .endsWith(": java.lang.IllegalStateException: no way to redis://:****@store:6379 at all"));
    }

    @Test
    void refusalByHoldfastItself_isToldWithoutItsClass() throws Exception {
        assertThat(messages(new StaleTermException("no store grants locks now")))
                .allSatisfy(message -> assertThat(message)
                        .endsWith(": no store grants locks now")
                        .doesNotContain("Exception"));
    }
}
