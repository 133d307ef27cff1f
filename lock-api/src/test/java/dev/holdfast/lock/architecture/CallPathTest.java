package dev.holdfast.lock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.internal.engine.Engine;
import dev.holdfast.lock.internal.engine.EngineContext;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.TurnLimits;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.locks.SteppedTime;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.time.DualClockInstant;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.CallPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

/** How many calls of the engine are between an application and its store. A longer way is longer to read and to debug. */
class CallPathTest {

    private static final int ACQUIRE = 8;
    private static final int RELEASE = 6;
    private static final int RENEWAL = 7;
    /** From the thread of the lane on. The timer hands the renewal to that thread. */
    private static final int RENEWAL_LANE = 3;
    /** From the timer on; one more call, of {@link StoreExecutor#execute}, hands it over. */
    private static final int RENEWAL_TIMER = RENEWAL - 1 - RENEWAL_LANE;

    private final RecordingStore store = new RecordingStore();

    @Test
    void acquire_whenUncontended_reachesTheStoreWithinEightCalls() throws InterruptedException {
        try (Locks locks = Locks.open(store, new Properties())) {
            locks.named("short").acquire().close();

            assertThat(path(LockCommand.Acquire.class).calls())
                    .startsWith("DefaultLock.acquire")
                    .hasSizeLessThanOrEqualTo(ACQUIRE);
        }
    }

    @Test
    void release_whenUncontended_reachesTheStoreWithinSixCalls() throws InterruptedException {
        try (Locks locks = Locks.open(store, new Properties())) {
            locks.named("short").acquire().release();

            assertThat(path(LockCommand.Release.class).calls())
                    .startsWith("DefaultLease.release")
                    .hasSizeLessThanOrEqualTo(RELEASE);
        }
    }

    @Test
    void renewalLane_whenRenewalIsDue_reachesTheStoreWithinThreeCalls() throws InterruptedException {
        SteppedTime time = new SteppedTime();
        Locks locks = DefaultLocks.open(LockConfiguration.of(store, new Properties()), time, time::threads);
        try (Lease lease = locks.named("short").acquire()) {
            time.pass(Duration.ofSeconds(10));
            Await.opened(store.renewed);

            assertThat(path(LockCommand.Renew.class).calls())
                    .filteredOn(call -> !call.startsWith(SteppedTime.class.getSimpleName()))
                    .hasSizeLessThanOrEqualTo(RENEWAL_LANE);
            assertThat(lease.isHeld()).isTrue();
        } finally {
            time.close(locks);
        }
    }

    @Test
    void renewalTimer_whenRenewalIsDue_reachesTheLanesWithinThreeCalls() {
        Duration lease = Duration.ofMinutes(1);
        AtomicReference<DualClockInstant> now = new AtomicReference<>(new DualClockInstant(0, 0));
        List<Runnable> timers = new ArrayList<>();
        List<CallPath> renewals = new ArrayList<>();
        EngineContext context = new EngineContext(
                now::get,
                (delay, task) -> {
                    timers.add(task);
                    return () -> {};
                },
                (lane, requests) -> {
                    if (lane == StoreExecutor.Lane.RENEWAL) {
                        renewals.add(CallPath.ofThisThread(CallPathTest.class));
                    } else {
                        requests.forEach(request ->
                                request.callback().accept(new StoreReply(now.get(), new LockReply.Granted(1, lease))));
                    }
                },
                GrantValidity.UNLIMITED,
                listener -> () -> {},
                Runnable::run,
                Runnable::run,
                () -> 1,
                NOPLogger.NOP_LOGGER);
        Waiter unused = new Engine(context, "test", "the test's store", Set.of(), new TurnLimits(1, Duration.ZERO), 0)
                .acquire(
                        new LockName("short"),
                        new LeaseOptions(lease, true, Duration.ZERO, Duration.ofSeconds(3)),
                        WaitPolicy.unlimited(),
                        StoreExecutor.Lane.CALLER,
                        result -> {});

        now.set(now.get().plus(lease.dividedBy(2)));
        List.copyOf(timers).forEach(Runnable::run);

        assertThat(renewals)
                .singleElement()
                .satisfies(path -> assertThat(path.calls())
                        .startsWith("CoalescingTimer$Round.run")
                        .hasSizeLessThanOrEqualTo(RENEWAL_TIMER));
    }

    private CallPath path(Class<? extends LockCommand> command) {
        return store.paths.get(command);
    }

    /** Grants everything for an hour, and records from where each kind of command came first. */
    private static final class RecordingStore implements LockStore {

        private final Map<Class<?>, CallPath> paths = new ConcurrentHashMap<>();
        private final CountDownLatch renewed = new CountDownLatch(1);

        @Override
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            return commands.stream().map(this::reply).toList();
        }

        private LockReply reply(LockCommand command) {
            paths.putIfAbsent(command.getClass(), CallPath.ofThisThread(CallPathTest.class));
            if (command instanceof LockCommand.Renew) {
                renewed.countDown();
            }
            return command instanceof LockCommand.Release
                    ? new LockReply.Released(true)
                    : new LockReply.Granted(1, Duration.ofHours(1));
        }

        @Override
        public void close() {}
    }
}
