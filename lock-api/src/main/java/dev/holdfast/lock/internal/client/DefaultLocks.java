package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.DistributedSemaphore;
import dev.holdfast.lock.LeaderCandidate;
import dev.holdfast.lock.LeaderElection;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.internal.config.Settings;
import dev.holdfast.lock.internal.engine.Engine;
import dev.holdfast.lock.internal.engine.EngineContext;
import dev.holdfast.lock.internal.engine.LeaseLog;
import dev.holdfast.lock.internal.engine.NotificationSubscription;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.TurnLimits;
import dev.holdfast.lock.internal.time.CallbackExecutor;
import dev.holdfast.lock.internal.time.DaemonThreads;
import dev.holdfast.lock.internal.time.Threads;
import dev.holdfast.lock.internal.transport.BatchExecutor;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.failover.GrantValidityStore;
import dev.holdfast.lock.spi.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An engine on a store, with this process's clocks and with threads of its own. */
public final class DefaultLocks implements Locks {

    private static final Logger log = LoggerFactory.getLogger(DefaultLocks.class);

    /** The time for the candidates of elections to stop. */
    private static final Duration STOP = Duration.ofSeconds(2);

    private final LockConfiguration configuration;
    private final Settings settings;
    private final LockStore store;
    private final LeaseLengths lengths;
    private final LeaseOptions defaultOptions;

    private final Threads threads;
    private final Clock clock;
    private final ThreadHolds holds;
    private final Engine engine;
    /** Run code of the application. */
    private final CallbackExecutor completions;

    private final CallbackExecutor losses;
    private final CallbackExecutor events;
    private final CallbackExecutor candidates;
    /** Calls the store, on behalf of a timer. */
    private final CallbackExecutor unsubscriber;

    private final Set<DefaultLeaderElection> elections = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();

    private DefaultLocks(
            LockConfiguration configuration, LockStore store, LeaseLengths lengths, Clock clock, Threads threads) {
        this.lengths = lengths;
        this.threads = threads;
        this.completions = callbacks("completions of futures", "async");
        this.losses = callbacks("loss listeners", "loss");
        this.events = callbacks("lock listeners and lines of the log", "events");
        this.candidates = callbacks("leader candidates", "election");
        this.unsubscriber = callbacks("ends of subscriptions", "unsubscribe");
        this.configuration = configuration;
        this.settings = configuration.settings();
        this.store = store;
        this.clock = clock;
        this.defaultOptions = new LeaseOptions(settings.lease(), true, Duration.ZERO, settings.callTimeout());
        this.holds = new ThreadHolds(threads);
        EngineContext context = new EngineContext(
                clock,
                threads,
                new BatchExecutor(store, clock, threads::pool),
                store instanceof GrantValidityStore limited ? limited.grantValidity() : GrantValidity.UNLIMITED,
                listener -> unsubscribingApart(store.subscribe(listener)),
                losses,
                events,
                new RandomBits(),
                LeaseLog.LOGGER);
        this.engine = new Engine(
                context,
                settings.holder(),
                configuration.storeName(),
                store.capabilities(),
                TurnLimits.on(store.notificationDelay(), settings.maxLocalHandoffs()),
                settings.tokenFloor());
        if (store instanceof GrantValidityStore limited) {
            limited.watch(engine::tickAll, engine::tell);
        }
    }

    private CallbackExecutor callbacks(String purpose, String name) {
        return new CallbackExecutor(purpose, threads.asNeeded(name), threads);
    }

    /** Opens the configured store and an engine on it. */
    public static Locks open(LockConfiguration configuration) {
        return open(configuration, Clock.SYSTEM, DaemonThreads::new);
    }

    /**
     * Opens the configured store and an engine on it, on a clock other than this process's: for tests.
     *
     * @param threads starts the threads, which are closed with the locks
     */
    public static Locks open(LockConfiguration configuration, Clock clock, Supplier<Threads> threads) {
        LockStore store = configuration.openStore();
        Threads started = null;
        try {
            LeaseLengths lengths = new LeaseLengths(configuration.settings(), store, configuration.provider());
            started = threads.get();
            return new DefaultLocks(configuration, store, lengths, clock, started);
        } catch (RuntimeException | Error e) { // such as "unable to create native thread": the caller may try again
            if (started != null) {
                started.close();
            }
            configuration.close(store);
            throw e;
        }
    }

    /** Closes a subscription on a thread of its own: a timer ends it, and the store may take a while. */
    private AutoCloseable unsubscribingApart(AutoCloseable subscription) {
        return () -> {
            if (closed.get()) {
                subscription.close(); // before the store is closed
            } else {
                unsubscriber.execute(() -> NotificationSubscription.end(subscription));
            }
        };
    }

    @Override
    public DistributedLock named(String name) {
        return lock(name);
    }

    @Override
    public DistributedSemaphore semaphore(String name, int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("a semaphore has at least 1 permit, not " + permits);
        }
        DefaultLock lock = lock(name);
        lock.requireShares();
        return new DefaultSemaphore(lock, permits);
    }

    private DefaultLock lock(String name) {
        return new DefaultLock(engine, settings, lengths, new LockName(name), defaultOptions, holds, completions);
    }

    @Override
    public LeaseGroup acquireAll(Collection<String> names) throws InterruptedException {
        return acquireAll(names, settings.acquireTimeout().orElse(DurationLimits.MAX));
    }

    @Override
    public LeaseGroup acquireAll(Collection<String> names, Duration wait) throws InterruptedException {
        return new GroupAcquisition(this::lock, names, wait, clock, engine.log(), completions).acquire();
    }

    @Override
    public LeaderElection elect(String name, LeaderCandidate candidate) {
        DefaultLeaderElection election =
                new DefaultLeaderElection(lock(name), candidate, clock, threads, candidates, elections::remove);
        elections.add(election);
        try {
            election.campaign();
        } catch (Throwable e) { // mostly because these locks are closed
            elections.remove(election);
            throw e;
        }
        if (closed.get()) { // the close may have missed it
            CompletableFuture<Boolean> unused = election.beginClose();
        }
        return election;
    }

    @Override
    public void addListener(LockListener listener) {
        engine.addListener(listener);
    }

    @Override
    public LockAdmin admin() {
        return new DefaultLockAdmin(configuration, store);
    }

    @Override
    public Duration shortestLease() {
        return lengths.shortest();
    }

    @Override
    public String provider() {
        return configuration.provider();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            closeElections();
            CompletableFuture<Boolean> settled = new CompletableFuture<>();
            Duration limit = engine.closeLimit();
            try {
                engine.close(() -> settled.complete(true));
            } finally {
                awaitSettled(settled, limit);
            }
        } finally {
            engine.abandon();
            elections.forEach(DefaultLeaderElection::abandon);
            List.of(completions, losses, events, candidates, unsubscriber).forEach(CallbackExecutor::close);
            threads.close();
            configuration.close(store);
        }
    }

    private void awaitSettled(CompletableFuture<Boolean> settled, Duration limit) {
        if (!TimedWait.await(settled, limit, clock, threads)) {
            log.warn(
                    "the store did not answer within {} ms while closing; locks that are still held expire by"
                            + " themselves",
                    limit.toMillis());
        }
    }

    /** Closes the elections first, so that their candidates stop while the locks are still held. */
    private void closeElections() {
        CompletableFuture<?>[] ends = List.copyOf(elections).stream()
                .map(DefaultLeaderElection::beginClose)
                .toArray(CompletableFuture<?>[]::new);
        boolean unused = TimedWait.await(CompletableFuture.allOf(ends), STOP, clock, threads);
    }
}
