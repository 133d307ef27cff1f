package dev.holdfast.lock.spring;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.HeldLocks;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls a {@link Locked} method while holding its locks. */
final class LockedInterceptor implements MethodInterceptor {

    private static final Logger log = LoggerFactory.getLogger(LockedInterceptor.class);

    private final LockedMethods methods;
    private final Supplier<Locks> locks;
    private final RequestWaits waits;
    /** Null if observations are impossible. */
    private final @Nullable ObservedCalls observed;
    /** Null if no method can return a publisher. */
    private final @Nullable ReactiveCalls reactive;

    LockedInterceptor(
            LockedMethods methods,
            Supplier<Locks> locks,
            RequestWaits waits,
            @Nullable ObservedCalls observed,
            @Nullable ReactiveCalls reactive) {
        this.methods = methods;
        this.locks = locks;
        this.waits = waits;
        this.observed = observed;
        this.reactive = reactive;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        LockedMethod method = methods.find(call);
        if (method == null) {
            return call.proceed();
        }
        List<String> names = method.names(call);
        if (names.isEmpty()) {
            return call.proceed();
        }
        if (method.result().isReactive()) {
            return Objects.requireNonNull(reactive).of(call, method, names);
        }
        LockScope scope = observed == null
                ? acquire(method, names)
                : observed.waiting(method, names, () -> acquire(method, names));
        if (scope == null) {
            log.debug("{} was skipped, as {} was busy", method, names);
            return method.result().skipped();
        }
        return observed == null ? proceed(call, scope) : observed.holding(method, names, () -> proceed(call, scope));
    }

    private static @Nullable Object proceed(MethodInvocation call, LockScope scope) throws Throwable {
        boolean toClose = true;
        try {
            Object result = scope.call(call::proceed);
            if (result instanceof CompletionStage<?> stage) {
                Object closing = scope.closeAfter(stage);
                toClose = false; // only now: a stage may refuse to tell when it is completed
                return closing;
            }
            LockedResult.requireDone(result, scope.method());
            scope.ensureHeld();
            return result;
        } catch (Throwable thrown) {
            scope.addLossTo(thrown);
            throw thrown;
        } finally {
            if (toClose) {
                scope.close();
            }
        }
    }

    /** Joins the holds of this thread and acquires the rest; null if that is busy and the call is to be skipped. */
    private @Nullable LockScope acquire(LockedMethod method, List<String> names) throws InterruptedException {
        boolean insideTransaction = LockedMethod.TRANSACTIONS && TransactionHolds.isTransactionActive();
        Map<String, LockHold> joined = LockScope.join(locks.get(), names);
        List<LockHold> holds =
                joined.isEmpty() ? new ArrayList<>(1) : new ArrayList<>(new LinkedHashSet<>(joined.values()));
        boolean done = false;
        try {
            for (LockHold hold : holds) {
                hold.requireFor(method);
            }
            LockHold acquired = null;
            if (joined.size() < names.size()) {
                acquired = acquireRest(method, names, joined);
                if (acquired == null) {
                    return null;
                }
                holds.add(acquired);
            }
            if (insideTransaction) {
                bind(method, holds, acquired != null);
            }
            done = true;
            return new LockScope(method, names, holds, acquired, insideTransaction, LockScope.current());
        } finally {
            if (!done) {
                LockScope.release(holds);
            }
        }
    }

    private static void bind(LockedMethod method, List<LockHold> holds, boolean isNew) {
        holds.forEach(TransactionHolds::bind);
        if (isNew && method.warnOnce()) {
            log.warn(
                    "{} acquired its lock inside a transaction that was already active, so what that transaction has"
                            + " read may be outdated. The lock is held until the transaction ends. Lock before the"
                            + " transaction begins. This is logged once",
                    method);
        }
    }

    private @Nullable LockHold acquireRest(LockedMethod method, List<String> names, Map<String, LockHold> joined)
            throws InterruptedException {
        List<String> rest = joined.isEmpty()
                ? names
                : names.stream().filter(name -> !joined.containsKey(name)).toList();
        if (names.size() > 1 && !method.options().areAllowedForSeveral()) {
            throw new IllegalArgumentException(method + ": " + LockedMethod.Options.SINGLE_NAME_ONLY + ": " + names);
        }
        try {
            return rest.size() == 1 ? acquireOne(method, rest.get(0)) : acquireAll(method, rest);
        } catch (InterruptedException e) {
            if (method.declares(InterruptedException.class)) {
                throw e;
            }
            Thread.currentThread().interrupt();
            CancellationException cancelled =
                    new CancellationException(method + ": interrupted while waiting for " + rest);
            cancelled.initCause(e);
            throw cancelled;
        } catch (IllegalArgumentException e) { // a name that no lock can have
            throw new IllegalArgumentException(method + ": " + e.getMessage(), e);
        }
    }

    private @Nullable LockHold acquireOne(LockedMethod method, String name) throws InterruptedException {
        DistributedLock lock = method.options().lock(locks.get(), name);
        if (method.isSkipping()) {
            return waits.limited(
                    orAtOnce(method.options().acquireTimeout()),
                    timeout -> lock.tryAcquire(orAtOnce(timeout))
                            .map(lease -> hold(lease, method.options().share()))
                            .orElse(null));
        }
        return waits.limited(
                method.options().acquireTimeout(),
                timeout -> hold(
                        timeout == null ? lock.acquire() : lock.acquire(timeout),
                        method.options().share()));
    }

    private @Nullable LockHold acquireAll(LockedMethod method, List<String> names) throws InterruptedException {
        if (method.isSkipping()) {
            try {
                return waits.limited(
                        orAtOnce(method.options().acquireTimeout()),
                        timeout -> hold(locks.get().acquireAll(names, orAtOnce(timeout)), Share.EXCLUSIVE));
            } catch (LockTimeoutException e) {
                return null;
            }
        }
        return waits.limited(
                method.options().acquireTimeout(),
                timeout -> hold(
                        timeout == null
                                ? locks.get().acquireAll(names)
                                : locks.get().acquireAll(names, timeout),
                        Share.EXCLUSIVE));
    }

    private LockHold hold(HeldLocks held, Share share) {
        return new LockHold(locks.get(), held, share);
    }

    private static Duration orAtOnce(@Nullable Duration timeout) {
        return timeout == null ? Duration.ZERO : timeout;
    }
}
