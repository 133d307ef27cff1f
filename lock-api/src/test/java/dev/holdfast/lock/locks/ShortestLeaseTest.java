package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.LockStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Properties;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A store that needs leases of some length: every way to set one asks it. */
class ShortestLeaseTest {

    private static final Duration SHORTEST = Duration.ofSeconds(20);
    private static final Duration SHORTER = Duration.ofSeconds(19);

    private final LockStore store = needing(SHORTEST);

    @Test
    void lease_shorterThanTheStoreNeeds_isRefusedHoweverItIsSet() throws Exception {
        try (Locks locks = Locks.open(store, new Properties());
                Lease lease = locks.named("job").withFixedLease(SHORTEST).acquire()) {
            DistributedLock lock = locks.named("job");

            assertThat(locks.shortestLease()).isEqualTo(SHORTEST);
            assertTooShort(() -> lock.withLease(SHORTER));
            assertTooShort(() -> lock.withFixedLease(SHORTER));
            assertTooShort(() -> lease.extend(SHORTER));
            lease.extend(SHORTEST);
        }
    }

    @Test
    void open_withALeaseShorterThanTheStoreNeeds_isRefused() {
        Properties properties = new Properties();
        properties.setProperty("lock.lease", "19s");

        assertThatExceptionOfType(LockConfigurationException.class)
                .isThrownBy(() -> Locks.open(store, properties))
                .withMessageContaining("lock.lease=19s")
                .withMessageContaining("20s or longer")
                .withMessageContaining("'custom'");
    }

    @Test
    void shortestLease_ofAStoreThatNeedsNone_isThatOfTheSettings() {
        Properties properties = new Properties();
        try (Locks locks = Locks.open(needing(Duration.ZERO), properties)) {
            assertThat(locks.shortestLease()).isEqualTo(Duration.ofMillis(100));
        }
        properties.setProperty("lock.call-timeout", "2s");
        try (Locks locks = Locks.open(needing(Duration.ZERO), properties)) {
            assertThat(locks.shortestLease()).isEqualTo(Duration.ofSeconds(2));
        }
    }

    private static void assertTooShort(ThrowingCallable call) {
        assertThatIllegalArgumentException()
                .isThrownBy(call)
                .withMessageContaining("19s")
                .withMessageContaining("'custom'")
                .withMessageContaining("20s or longer");
    }

    private static LockStore needing(Duration length) {
        LockStore memory = new MemorySpace(InstantSource.system()).open();
        return (LockStore) Proxy.newProxyInstance(
                ShortestLeaseTest.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) ->
                        method.getName().equals("shortestLease") ? length : method.invoke(memory, arguments));
    }
}
