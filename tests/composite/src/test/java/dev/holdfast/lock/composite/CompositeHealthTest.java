package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a composite answers to health checks. */
@Tag("second-build")
class CompositeHealthTest {

    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration SLOWNESS = Duration.ofMillis(50);

    private final AtomicReference<Duration> left = new AtomicReference<>();

    @ParameterizedTest
    @EnumSource(names = {"PRIMARY", "FALLBACK"})
    void ping_whileAStoreGrants_isAnswered(FailoverPhase phase) {
        try (CompositeLockStore store = started(phase);
                LockAdmin admin = admin(store)) {
            assertThatCode(admin::ping).doesNotThrowAnyException();
        }
    }

    @Test
    void ping_whileGrantsDrain_isUnavailable() {
        try (CompositeLockStore store = started(FailoverPhase.DRAINING);
                LockAdmin admin = admin(store)) {
            assertThatExceptionOfType(LockUnavailableException.class)
                    .isThrownBy(admin::ping)
                    .withMessage(
                            "no store grants locks during the transition to epoch 2 (a test wants it); retry shortly");
        }
    }

    @Test
    void status_ofSeveralQuestions_takesOneTimeout() {
        try (CompositeLockStore store = started(FailoverPhase.FALLBACK)) {
            assertThat(store.status(TIMEOUT).active()).isEqualTo("fallback");
            assertThat(left.get()).isLessThanOrEqualTo(TIMEOUT.minus(SLOWNESS));
        }
    }

    private static LockAdmin admin(CompositeLockStore store) {
        Properties settings = new Properties();
        settings.setProperty("lock.lease", "1h");
        settings.setProperty("lock.call-timeout", "5m");
        return LockAdmin.of(store, settings);
    }

    private CompositeLockStore started(FailoverPhase phase) {
        CompositeLockStore store = new CompositeLockStore(
                new Namespace("test"),
                Set.of(),
                "primary",
                () -> stub(PrimaryStore.class, phase),
                "fallback",
                stub(AuthorityStore.class, phase),
                new Timing(LEASE),
                Duration.ZERO,
                Clock.SYSTEM);
        PrimaryHealth unused = store.checkPrimary(Await.HANG);
        store.start(false, Await.HANG);
        return store;
    }

    /** A store in this phase, which has none of the leases that it is asked to renew. */
    private <T> T stub(Class<T> type, FailoverPhase phase) {
        AuthorityReading reading = new AuthorityReading(
                new AuthorityState(2, phase, "replication", LEASE, 0, 0, "a test wants it", Instant.EPOCH), 1, 0);
        InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
            case "execute" -> List.of(new LockReply.Gone());
            case "read" -> reading;
            case "peek" -> {
                long start = System.nanoTime();
                for (long passed = 0; passed < SLOWNESS.toNanos(); passed = System.nanoTime() - start) {
                    LockSupport.parkNanos(SLOWNESS.toNanos() - passed);
                }
                yield Optional.of(reading);
            }
            case "highestToken" -> {
                left.set((Duration) arguments[0]);
                yield 1L;
            }
            case "health" -> new PrimaryHealth("replication", true, 2, 0, 0, Optional.empty());
            case "subscribe" -> (AutoCloseable) () -> {};
            case "leave", "close" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
