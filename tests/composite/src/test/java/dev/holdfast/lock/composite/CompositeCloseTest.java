package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.InTime;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process that closes its composite leaves the members, unless their authority stands still: it would only keep the process waiting. */
@Tag("first-build")
class CompositeCloseTest {

    private static final Timing TIMING = new Timing(Duration.ofMinutes(10));

    private final TestMember.SettableClock clock = new TestMember.SettableClock();
    private final AtomicInteger leaves = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private volatile Runnable whenRead = () -> {};

    @Test
    void close_whileTheAuthorityAnswers_leaves() throws Exception {
        int left = InTime.check(Duration.ofSeconds(2), () -> {
            leaves.set(0);
            started().close();
            assertThat(leaves).hasValue(1);
            return leaves.get();
        });
        assertThat(left).isOne();
    }

    @Test
    void close_whileTheAuthorityStandsStill_doesNotAskItToLeave() {
        CountDownLatch frozen = new CountDownLatch(1);
        CompositeLockStore store = started();
        whenRead = () -> awaitUninterruptibly(frozen);
        try {
            read(store);
            store.close();

            assertThat(leaves).hasValue(0);
        } finally {
            frozen.countDown();
        }
    }

    @Test
    void close_afterTheAuthorityDidNotAnswer_doesNotAskItToLeave() {
        CompositeLockStore store = started();
        whenRead = () -> {
            throw new LockUnavailableException("no answer", null);
        };
        read(store);
        Await.until("the answer is missed", store::isIdle);
        store.close();

        assertThat(leaves).hasValue(0);
    }

    /** As a thread that reads from a socket. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean wasInterrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sets the clock ahead until the authority is read again. */
    private void read(CompositeLockStore store) {
        int before = reads.get();
        clock.advance(TIMING.readInterval());
        store.wake();
        Await.until("the authority is read", () -> reads.get() > before);
    }

    private CompositeLockStore started() {
        CompositeLockStore store = new CompositeLockStore(
                new Namespace("test"),
                Set.of(),
                "primary",
                () -> stub(PrimaryStore.class),
                "fallback",
                stub(AuthorityStore.class),
                TIMING,
                Duration.ZERO,
                clock);
        PrimaryHealth unused = store.checkPrimary(Await.HANG);
        store.start(false, Await.HANG);
        return store;
    }

    private <T> T stub(Class<T> type) {
        AuthorityReading reading = new AuthorityReading(
                new AuthorityState(
                        2, FailoverPhase.PRIMARY, "replication", TIMING.lease(), 0, 0, "test", Instant.EPOCH),
                1,
                0);
        InvocationHandler handler = (proxy, method, arguments) -> switch (method.getName()) {
            case "read" -> {
                reads.incrementAndGet();
                whenRead.run();
                yield reading;
            }
            case "leave" -> {
                leaves.incrementAndGet();
                yield null;
            }
            case "health" -> new PrimaryHealth("replication", true, 2, 0, 0, Optional.empty());
            case "subscribe" -> (AutoCloseable) () -> {};
            case "close" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
