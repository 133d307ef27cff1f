package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
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
import dev.holdfast.lock.testing.CallPath;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many calls a composite puts between the engine and the store that grants, and how many it wants side by side. */
class CompositeCallPathTest {

    private static final int ON_TOP_OF_A_STORE = 5;
    private static final int PARALLEL_CALLS = 7;
    private static final Duration LEASE = Duration.ofMinutes(2);
    private static final LockCommand ACQUIRE = new LockCommand.Acquire(
            new LockName("short"), new AcquisitionId(1, 2), Duration.ofMinutes(10), true, 0, "test");

    private final AtomicReference<CallPath> path = new AtomicReference<>();

    @ParameterizedTest
    @EnumSource(names = {"PRIMARY", "FALLBACK"})
    void execute_onTheStoreThatGrants_reachesItWithinFiveCalls(FailoverPhase phase) {
        try (CompositeLockStore store = started(phase)) {
            LockReply reply = store.execute(List.of(ACQUIRE), Await.HANG).get(0);

            assertThat(reply).isInstanceOf(LockReply.Granted.class);
            assertThat(path.get().from("CompositeLockStore.execute").calls())
                    .hasSizeLessThanOrEqualTo(ON_TOP_OF_A_STORE);
        }
    }

    @Test
    void parallelCalls_whileThePrimaryGrants_areItsOwn() {
        try (CompositeLockStore store = started(FailoverPhase.PRIMARY)) {
            assertThat(store.parallelCalls()).isEqualTo(PARALLEL_CALLS);
        }
    }

    @Test
    void parallelCalls_whileTheFallbackGrants_isOne() {
        try (CompositeLockStore store = started(FailoverPhase.FALLBACK)) {
            assertThat(store.parallelCalls()).isEqualTo(1);
        }
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

    /** A store in this phase, which grants everything and records from where it was asked. */
    private <T> T stub(Class<T> type, FailoverPhase phase) {
        AuthorityReading reading = new AuthorityReading(
                new AuthorityState(2, phase, "replication", LEASE, 0, 0, "test", Instant.EPOCH), 1, 0);
        InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
            case "execute" -> {
                path.set(CallPath.ofThisThread(CompositeCallPathTest.class));
                yield List.of(new LockReply.Granted(AuthorityState.TOKENS_PER_EPOCH, Duration.ofMinutes(10)));
            }
            case "parallelCalls" -> PARALLEL_CALLS;
            case "read" -> reading;
            case "peek" -> Optional.of(reading);
            case "health" -> new PrimaryHealth("replication", true, 2, 0, 0, Optional.empty());
            case "subscribe" -> (AutoCloseable) () -> {};
            case "leave", "close" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
