package dev.holdfast.lock.internal;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.config.Settings;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An engine on a store, with real clocks and threads. */
final class EngineLocks implements Locks {

    private static final Logger log = LoggerFactory.getLogger(EngineLocks.class);

    private static final long CLOSE_MILLIS = 2_000;
    /** Enough that one slow listener does not keep the next loss from being told. */
    private static final int LOSS_THREADS = 8;
    /** Enough that one silent call does not keep the next release from being asked. */
    private static final int RELEASE_THREADS = 8;

    private final String provider;
    private final Settings settings;
    /** Of a lock of which nothing else is said. */
    private final Terms terms;

    private final Threads threads;
    private final Clock clock;
    private final Aside aside;
    private final ThreadHolds holds;
    private final Engine engine;
    private final Runnable closeStore;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param closeStore closes the store if it is ours to close */
    EngineLocks(String provider, LockStore store, Settings settings, Runnable closeStore) {
        this(provider, store, settings, closeStore, new Threads());
    }

    private EngineLocks(String provider, LockStore store, Settings settings, Runnable closeStore, Threads threads) {
        this(provider, store, settings, closeStore, threads, Clock.SYSTEM, threads);
    }

    EngineLocks(
            String provider,
            LockStore store,
            Settings settings,
            Runnable closeStore,
            Threads threads,
            Clock clock,
            Timers timers) {
        this.threads = threads;
        this.clock = clock;
        this.provider = provider;
        this.settings = settings;
        this.terms = new Terms(settings.lease(), true, Duration.ZERO, settings.callTimeout());
        this.aside = new Aside(threads.pool("release", RELEASE_THREADS), clock);
        this.holds = new ThreadHolds(timers, aside);
        this.closeStore = closeStore;
        Executor unsubscribing = threads.pool("signals", 1);
        Outside outside = new Outside(
                clock,
                timers,
                new BlockingCalls(store, clock, threads::pool),
                store instanceof TenuredStore tenured ? tenured.tenure() : Tenure.UNLIMITED,
                to -> unsubscribedApart(unsubscribing, store.signals(to)),
                threads.pool("loss", LOSS_THREADS),
                threads.asNeeded("events"),
                new RandomBits());
        this.engine = new Engine(
                outside, Owner.ofThisProcess(), store.capabilities(), settings.handoff(), settings.tokenFloor());
        if (store instanceof TenuredStore tenured) {
            tenured.watch(engine::tickAll, engine::tell);
        }
    }

    /** Ended on a thread of its own: it may take the store a while, and it is a timer that ends it. */
    private AutoCloseable unsubscribedApart(Executor thread, AutoCloseable subscription) {
        return () -> {
            if (closed.get()) {
                subscription.close(); // the threads may be gone, and the timers are of no use any more
                return;
            }
            try {
                thread.execute(() -> Listening.end(subscription));
            } catch (Throwable e) { // no thread to be had
                subscription.close();
            }
        };
    }

    @Override
    public DistributedLock named(String name) {
        return lock(name);
    }

    private EngineLock lock(String name) {
        return new EngineLock(engine, settings, new LockName(name), terms, holds);
    }

    @Override
    public void addListener(LockListener listener) {
        engine.addListener(listener);
    }

    @Override
    public String provider() {
        return provider;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            CompletableFuture<Boolean> settled = new CompletableFuture<>();
            engine.close(() -> settled.complete(true));
            if (!settled.completeOnTimeout(false, CLOSE_MILLIS, TimeUnit.MILLISECONDS)
                    .join()) {
                log.warn(
                        "the store did not answer within {} ms at the close; what is held is left to expire",
                        CLOSE_MILLIS);
            }
        } finally {
            engine.abandon();
            threads.close();
            closeStore.run();
        }
    }

    @Override
    public LeaseGroup acquireAll(Collection<String> names, Duration wait) throws InterruptedException {
        return new GroupAcquisition(this::lock, names, wait, clock, aside).acquire();
    }
}
