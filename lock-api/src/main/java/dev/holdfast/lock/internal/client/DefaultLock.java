package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.config.Settings;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.Engine;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A named lock on the engine: blocking calls made of the engine's callbacks. */
final class DefaultLock implements DistributedLock {

    private final Engine engine;
    private final Settings settings;
    private final LockName name;
    private final LeaseOptions terms;
    private final ThreadHolds holds;

    DefaultLock(Engine engine, Settings settings, LockName name, LeaseOptions terms, ThreadHolds holds) {
        this.engine = engine;
        this.settings = settings;
        this.name = name;
        this.terms = terms;
        this.holds = holds;
    }

    @Override
    public String name() {
        return name.value();
    }

    @Override
    public DistributedLock withLease(Duration length) {
        return with(new LeaseOptions(allowed(length), true, terms.minimumHold(), settings.callTimeout(length)));
    }

    @Override
    public DistributedLock withFixedLease(Duration length) {
        return with(new LeaseOptions(allowed(length), false, terms.minimumHold(), settings.callTimeout(length)));
    }

    @Override
    public DistributedLock withMinimumHold(Duration minimum) {
        if (minimum.isNegative() || minimum.compareTo(DurationText.LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "a minimum hold is 0s to " + DurationText.format(DurationText.LONGEST) + ", not " + minimum);
        }
        return with(new LeaseOptions(terms.length(), terms.renewed(), minimum, terms.callTimeout()));
    }

    private Duration allowed(Duration length) {
        settings.objectionTo(length).ifPresent(objection -> {
            throw new IllegalArgumentException(objection);
        });
        return length;
    }

    private DistributedLock with(LeaseOptions other) {
        if (!other.renewed() && other.minimumHold().compareTo(other.length()) > 0) {
            throw new IllegalArgumentException("a minimum hold of " + DurationText.format(other.minimumHold())
                    + " is longer than the fixed lease of " + DurationText.format(other.length()));
        }
        return new DefaultLock(engine, settings, name, other, holds);
    }

    @Override
    public Lease acquire() throws InterruptedException {
        Optional<Duration> wait = settings.patience();
        if (wait.isPresent()) {
            return acquire(wait.get());
        }
        return await(WaitPolicy.unlimited()).orElseThrow();
    }

    @Override
    public Lease acquire(Duration wait) throws InterruptedException {
        return tryAcquire(wait).orElseThrow(() -> timeout(wait));
    }

    private LockTimeoutException timeout(Duration wait) {
        return new LockTimeoutException("'" + name + "' was busy for the whole wait of " + DurationText.format(wait));
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return await(patience(wait));
    }

    private WaitPolicy patience(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("a wait is zero or longer, not " + DurationText.format(wait));
        }
        return WaitPolicy.of(wait, terms.callTimeout());
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return uninterruptibly(WaitPolicy.none(terms.callTimeout()));
    }

    /** Waits for ever, whatever {@code lock.wait} says. */
    Lease acquireUninterruptibly() {
        return uninterruptibly(WaitPolicy.unlimited()).orElseThrow();
    }

    /** An interrupt would only break the connection, or cost the place in the line; it is kept. */
    private Optional<Lease> uninterruptibly(WaitPolicy patience) {
        boolean interrupted = Thread.interrupted();
        try {
            return lease(outcome(patience, WaitingThread::awaitUninterruptibly));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Optional<Lease> await(WaitPolicy patience) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for '" + name + "'");
        }
        return lease(outcome(patience, WaitingThread::await));
    }

    /** Whoever does not get to its outcome wants nothing any more. */
    private <E extends Exception> AcquireResult outcome(WaitPolicy patience, Wait<E> wait) throws E {
        WaitingThread thread = new WaitingThread();
        try {
            Waiter waiter = engine.ask(name, terms, patience, Lane.CALLER, thread);
            boolean known = false;
            try {
                AcquireResult outcome = wait.on(thread);
                thread.leave();
                known = true;
                return outcome;
            } finally {
                if (!known) {
                    waiter.abandon();
                }
            }
        } finally {
            thread.leave();
        }
    }

    @FunctionalInterface
    private interface Wait<E extends Exception> {
        AcquireResult on(WaitingThread thread) throws E;
    }

    private Optional<Lease> lease(AcquireResult outcome) {
        if (outcome instanceof AcquireResult.Held held) {
            return Optional.of(new DefaultLease(name.value(), held.hold()));
        } else if (outcome instanceof AcquireResult.Busy) {
            return Optional.empty();
        }
        throw failure(outcome);
    }

    private static RuntimeException failure(AcquireResult outcome) {
        if (outcome instanceof AcquireResult.Unavailable unavailable) {
            return new LockUnavailableException(unavailable.message(), unavailable.cause());
        } else if (outcome instanceof AcquireResult.Withdrawn) {
            return new CancellationException("withdrawn");
        }
        return Engine.closedException();
    }

    @Override
    public CompletableFuture<Lease> acquireAsync() {
        Optional<Duration> wait = settings.patience();
        AsyncLease future = new AsyncLease();
        return wait.isPresent() ? acquireAsync(wait.get()) : asked(future, WaitPolicy.unlimited(), Optional.empty());
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(Duration wait) {
        return asked(new AsyncLease(), patience(wait), Optional.of(wait));
    }

    /** The same for one who waits for it, and for nobody else's code: completed by whatever thread of the engine's. */
    CompletableFuture<Lease> acquireAwaited(Duration wait) {
        return asked(new AsyncLease(Runnable::run), patience(wait), Optional.of(wait));
    }

    private AsyncLease asked(AsyncLease future, WaitPolicy patience, Optional<Duration> wait) {
        future.withdrawBy(engine.ask(name, terms, patience, Lane.BACKGROUND, outcome -> {
            if (outcome instanceof AcquireResult.Held held) {
                future.granted(new DefaultLease(name.value(), held.hold()), held.hold());
            } else {
                future.refused(outcome instanceof AcquireResult.Busy ? timeout(wait.orElseThrow()) : failure(outcome));
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

    /** A loss is reported even if the body noticed nothing, and never hides what the body itself threw. */
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
        return new ReentrantLockAdapter(this, holds);
    }

    @Override
    public String toString() {
        return "lock '" + name + "'";
    }
}
