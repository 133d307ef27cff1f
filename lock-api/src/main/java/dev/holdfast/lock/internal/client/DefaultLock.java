package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.config.Settings;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.Engine;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.engine.LeaseLog;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/** A named lock on the engine: turns the callbacks of the engine into blocking calls and futures. */
final class DefaultLock implements DistributedLock {

    private final Engine engine;
    private final Settings settings;
    private final LeaseLengths lengths;
    private final LockName name;
    private final LeaseOptions options;
    private final ThreadHolds holds;
    private final Executor completions;

    /** @param completions complete the futures of the application; never fail */
    DefaultLock(
            Engine engine,
            Settings settings,
            LeaseLengths lengths,
            LockName name,
            LeaseOptions options,
            ThreadHolds holds,
            Executor completions) {
        this.engine = engine;
        this.settings = settings;
        this.lengths = lengths;
        this.name = name;
        this.options = options;
        this.holds = holds;
        this.completions = completions;
    }

    @Override
    public String name() {
        return name.value();
    }

    @Override
    public DistributedLock withLease(Duration length) {
        return with(options.withLease(lengths.allowed(length), true, settings.callTimeout(length)));
    }

    @Override
    public DistributedLock withFixedLease(Duration length) {
        return with(options.withLease(lengths.allowed(length), false, settings.callTimeout(length)));
    }

    @Override
    public DistributedLock withMinimumHold(Duration minimum) {
        requireMinimumHold(minimum);
        return with(options.withMinimumHold(minimum));
    }

    static void requireMinimumHold(Duration minimum) {
        if (minimum.isNegative() || minimum.compareTo(DurationLimits.MAX) > 0) {
            throw new IllegalArgumentException(
                    "a minimum hold is 0s to " + DurationText.format(DurationLimits.MAX) + ", not " + minimum);
        }
    }

    @Override
    public DistributedLock shared() {
        requireOwnedByThreads("shared()");
        requireShares();
        return of(Share.shared());
    }

    /** The same lock for another share. */
    DistributedLock of(Share share) {
        return with(options.withShare(share));
    }

    void requireShares() {
        engine.requireShares(name);
    }

    /** Whether leases are shared with other readers. */
    boolean isShared() {
        return options.share().kind() == LeaseKind.SHARED;
    }

    private boolean isOfPermits() {
        return options.share().kind() == LeaseKind.PERMITS;
    }

    private void requireOwnedByThreads(String method) {
        if (isOfPermits()) {
            throw new UnsupportedOperationException(
                    "permits of the semaphore '" + name + "' have no " + method + ": acquire them as leases");
        }
    }

    private DefaultLock with(LeaseOptions other) {
        if (!other.renewed() && other.minimumHold().compareTo(other.length()) > 0) {
            throw new IllegalArgumentException("a minimum hold of " + DurationText.format(other.minimumHold())
                    + " is longer than the fixed lease of " + DurationText.format(other.length()));
        }
        return new DefaultLock(engine, settings, lengths, name, other, holds, completions);
    }

    @Override
    public Lease acquire() throws InterruptedException {
        AcquireResult result = await(defaultPolicy());
        if (result instanceof AcquireResult.Held held) {
            return lease(held.holder());
        }
        throw failure(result, settings.acquireTimeout());
    }

    @Override
    public Lease acquire(Duration wait) throws InterruptedException {
        return acquireLease(wait);
    }

    DefaultLease acquireLease(Duration wait) throws InterruptedException {
        AcquireResult result = await(policy(wait));
        if (result instanceof AcquireResult.Held held) {
            return lease(held.holder());
        }
        throw failure(result, Optional.of(wait));
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return tryAcquireLease(wait).map(lease -> lease);
    }

    Optional<DefaultLease> tryAcquireLease(Duration wait) throws InterruptedException {
        return lease(await(policy(wait)));
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return tryAcquireLease().map(lease -> lease);
    }

    Optional<DefaultLease> tryAcquireLease() {
        return lease(awaitUninterruptibly(WaitPolicy.once(options.callTimeout())));
    }

    /** Waits without a limit, whatever the settings say. */
    DefaultLease acquireUninterruptibly() {
        return lease(awaitUninterruptibly(WaitPolicy.unlimited())).orElseThrow();
    }

    private WaitPolicy defaultPolicy() {
        Optional<Duration> wait = settings.acquireTimeout();
        return wait.isPresent() ? policy(wait.get()) : WaitPolicy.unlimited();
    }

    private WaitPolicy policy(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("a wait is zero or longer, not " + DurationText.format(wait));
        }
        return WaitPolicy.upTo(wait, options.callTimeout());
    }

    private AcquireResult await(WaitPolicy policy) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for '" + name + "'");
        }
        WaitingThread thread = new WaitingThread();
        try {
            return thread.await(engine.acquire(name, options, policy, Lane.CALLER, thread));
        } finally {
            thread.leave();
        }
    }

    /** Clears the interrupt, which would break the connection or cost the place in the queue, and restores it for the caller. */
    private AcquireResult awaitUninterruptibly(WaitPolicy policy) {
        boolean interrupted = Thread.interrupted();
        WaitingThread thread = new WaitingThread();
        try {
            return thread.awaitUninterruptibly(engine.acquire(name, options, policy, Lane.CALLER, thread));
        } finally {
            thread.leave();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Optional<DefaultLease> lease(AcquireResult result) {
        if (result instanceof AcquireResult.Held held) {
            return Optional.of(lease(held.holder()));
        } else if (result instanceof AcquireResult.Busy) {
            return Optional.empty();
        }
        throw failure(result, Optional.empty());
    }

    private DefaultLease lease(LeaseHolder holder) {
        return new DefaultLease(name.value(), lengths, holder, completions);
    }

    /** @param wait how long the caller waited; empty if without a limit */
    private RuntimeException failure(AcquireResult result, Optional<Duration> wait) {
        if (result instanceof AcquireResult.Busy) {
            return new LockTimeoutException(
                    "'" + name + "' was busy for the whole wait of " + DurationText.format(wait.orElseThrow()));
        } else if (result instanceof AcquireResult.Unavailable unavailable) {
            return new LockUnavailableException(unavailable.message(), unavailable.cause());
        } else if (result instanceof AcquireResult.Withdrawn) {
            return new CancellationException("the wait for '" + name + "' was cancelled");
        }
        return Engine.closedException();
    }

    @Override
    public CompletableFuture<Lease> acquireAsync() {
        return acquireAsync(new AsyncLease(completions), defaultPolicy(), settings.acquireTimeout());
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(Duration wait) {
        return acquireAsync(new AsyncLease(completions), policy(wait), Optional.of(wait));
    }

    /** The lines about the leases, for operators. */
    LeaseLog log() {
        return engine.log();
    }

    /** For a thread that waits for it: completed on a thread of the engine. */
    CompletableFuture<Lease> acquireAwaited(Duration wait) {
        return acquireAsync(new AsyncLease(Runnable::run), policy(wait), Optional.of(wait));
    }

    /** Without a limit, whatever the settings say; completed on a thread of the engine. */
    CompletableFuture<Lease> acquireInBackground() {
        return acquireAsync(new AsyncLease(Runnable::run), WaitPolicy.unlimited(), Optional.empty());
    }

    private AsyncLease acquireAsync(AsyncLease future, WaitPolicy policy, Optional<Duration> wait) {
        future.withdrawBy(engine.acquire(name, options, policy, Lane.BACKGROUND, result -> {
            if (result instanceof AcquireResult.Held held) {
                future.granted(lease(held.holder()));
            } else {
                future.failed(failure(result, wait));
            }
        }));
        return future;
    }

    @Override
    public void run(Runnable body) throws InterruptedException {
        try (Lease lease = acquire()) {
            holding(lease, () -> {
                body.run();
                return true;
            });
        }
    }

    @Override
    public <T extends @Nullable Object> T call(Callable<T> body) throws Exception {
        try (Lease lease = acquire()) {
            return holding(lease, body::call);
        }
    }

    /** Reports a loss that the body did not notice. An exception of the body takes precedence. */
    private static <T extends @Nullable Object, E extends Exception> T holding(Lease lease, Body<T, E> body) throws E {
        T result;
        try {
            result = body.call();
        } catch (Throwable thrown) {
            lease.onLost(thrown::addSuppressed);
            throw thrown;
        }
        lease.ensureHeld();
        return result;
    }

    @FunctionalInterface
    private interface Body<T extends @Nullable Object, E extends Exception> {
        T call() throws E;
    }

    @Override
    public Lock asLock() {
        requireOwnedByThreads("asLock()");
        return new ReentrantLockAdapter(this, holds);
    }

    @Override
    public ReadWriteLock asReadWriteLock() {
        Lock read = shared().asLock();
        Lock write = with(options.withShare(Share.EXCLUSIVE)).asLock();
        return new ReadWriteLock() {
            @Override
            public Lock readLock() {
                return read;
            }

            @Override
            public Lock writeLock() {
                return write;
            }

            @Override
            public String toString() {
                return "read and write " + DefaultLock.this;
            }
        };
    }

    @Override
    public Optional<Lease> currentThreadLease() {
        return holds.lease(name.value());
    }

    @Override
    public String toString() {
        return "lock '" + name + "'" + (options.share().isExclusive() ? "" : ", " + options.share());
    }
}
