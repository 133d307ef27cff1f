package dev.holdfast.lock.spring;

import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call of a {@link Locked} method, from the acquisition to the end of the method or of its future. While the
 * method runs, it is the innermost scope of its thread.
 */
final class LockScope {

    private static final ThreadLocal<@Nullable LockScope> CURRENT = new ThreadLocal<>();

    private final LockedMethod method;
    private final List<String> names;
    private final List<LockHold> holds;
    /** The hold that this call acquired; null if it joined existing holds for all of its names. */
    private final @Nullable LockHold acquired;

    private final boolean insideTransaction;
    private final @Nullable LockScope outer;

    /**
     * Creates a scope, which is a user of these holds.
     *
     * @param acquired the new one among the holds
     * @param insideTransaction whether a transaction was already active
     * @param outer the scope inside which the method is called
     */
    LockScope(
            LockedMethod method,
            List<String> names,
            List<LockHold> holds,
            @Nullable LockHold acquired,
            boolean insideTransaction,
            @Nullable LockScope outer) {
        this.method = method;
        this.names = names;
        this.holds = holds;
        this.acquired = acquired;
        this.insideTransaction = insideTransaction;
        this.outer = outer;
    }

    /** The innermost scope of this thread. */
    static @Nullable LockScope current() {
        return CURRENT.get();
    }

    LockedMethod method() {
        return method;
    }

    List<String> names() {
        return names;
    }

    List<LockHold> holds() {
        return holds;
    }

    boolean isInsideTransaction() {
        return insideTransaction;
    }

    @Nullable
    LockScope outer() {
        return outer;
    }

    /** The hold of one of the names. */
    LockHold hold(String name) {
        for (LockHold hold : holds) {
            if (hold.locks().names().contains(name)) {
                return hold;
            }
        }
        throw new IllegalArgumentException("'" + name + "' is not one of " + names);
    }

    /** Calls the method, with this as the innermost scope of the thread meanwhile. */
    @Nullable
    Object call(Body body) throws Throwable {
        LockScope before = CURRENT.get();
        CURRENT.set(this);
        try {
            return body.call();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }

    /** A method. */
    @FunctionalInterface
    interface Body {

        @Nullable
        Object call() throws Throwable;
    }

    void ensureHeld() {
        for (LockHold hold : holds) {
            hold.locks().ensureHeld();
        }
    }

    /** Adds a loss to the failure of the method as suppressed; for a joined lease, the outer call that acquired it does so. */
    void addLossTo(Throwable thrown) {
        if (acquired != null && !(thrown instanceof LockLostException)) {
            acquired.locks().onLost(thrown::addSuppressed);
        }
    }

    void close() {
        release(holds);
    }

    /** Releases each of these holds, though another cannot be released, as for a lack of memory. */
    static void release(List<LockHold> holds) {
        Throwable failure = null;
        for (LockHold hold : holds) {
            try {
                hold.release();
            } catch (RuntimeException | Error e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /**
     * Keeps the locks until the stage is completed. If it is not completed yet, another thread releases them afterwards, as the
     * thread that completes the stage may not be allowed to block.
     *
     * @return a future that is completed like the stage, after the release
     */
    CompletableFuture<@Nullable Object> closeAfter(CompletionStage<?> stage) {
        // A stage need not say whether it is completed: a minimal stage of the JDK throws, though it is a
        // CompletableFuture.
        CompletableFuture<@Nullable Object> end = new CompletableFuture<>();
        stage.whenComplete((value, thrown) -> complete(end, value, thrown));
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        CompletableFuture<?> unused = end.isDone()
                ? end.whenComplete((value, thrown) -> closeAndComplete(result, value, thrown))
                : end.whenCompleteAsync(
                        (value, thrown) -> closeAndComplete(result, value, thrown), LockScope::runApart);
        return result;
    }

    /** Not on the common pool, which the application may have filled with tasks that wait for these locks. */
    private static void runApart(Runnable task) {
        try {
            DaemonThreadFactory.unstarted("holdfast-locked-release", task).start();
        } catch (OutOfMemoryError e) { // no thread is available
            task.run();
        }
    }

    private void closeAndComplete(
            CompletableFuture<@Nullable Object> result, @Nullable Object value, @Nullable Throwable thrown) {
        Throwable failure = thrown;
        if (failure == null) {
            try {
                ensureHeld();
            } catch (RuntimeException e) { // lost, or released because the application closes its locks
                failure = e;
            }
        } else {
            addLossTo(failure);
        }
        try {
            close();
        } finally {
            complete(result, value, failure);
        }
    }

    private static void complete(
            CompletableFuture<@Nullable Object> future, @Nullable Object value, @Nullable Throwable failure) {
        if (failure == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(failure);
        }
    }

    @Override
    public String toString() {
        return method.toString();
    }

    /** The holds, retained, of those of these locks that the scopes of this thread or the transactions on it hold. */
    static Map<String, LockHold> join(Locks locks, List<String> names) {
        if (CURRENT.get() == null && !(LockedMethod.TRANSACTIONS && TransactionHolds.areOnThread())) {
            return Map.of();
        }
        Map<String, LockHold> joined = joinFrom(CURRENT.get(), locks, names);
        if (LockedMethod.TRANSACTIONS) {
            join(locks, names, TransactionHolds.ofThread(), joined);
        }
        return joined;
    }

    /** The holds, retained, of those of these locks that this scope or one around it holds. */
    static Map<String, LockHold> joinFrom(@Nullable LockScope innermost, Locks locks, List<String> names) {
        Map<String, LockHold> joined = new LinkedHashMap<>();
        for (LockScope scope = innermost; scope != null; scope = scope.outer) {
            join(locks, names, scope.holds, joined);
        }
        return joined;
    }

    private static void join(Locks locks, List<String> names, List<LockHold> holds, Map<String, LockHold> joined) {
        for (LockHold hold : new ArrayList<>(holds)) {
            for (String name : names) {
                if (!joined.containsKey(name) && hold.contains(locks, name)) {
                    if (joined.containsValue(hold) || hold.retain()) {
                        joined.put(name, hold);
                    }
                }
            }
        }
    }
}
