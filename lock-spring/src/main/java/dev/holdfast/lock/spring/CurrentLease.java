package dev.holdfast.lock.spring;

import dev.holdfast.lock.Lease;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lease under which the running {@link Locked} method runs: for its fencing token, and to ask whether it is still held.
 *
 * <p>It is the lease of the innermost {@code @Locked} method on this thread; once that method returns, the lease of the next
 * outer one again. Threads that the method starts do not have it; pass them the {@link Lease}. In operators of a publisher that the
 * method returns, and in a suspend function, use {@link ReactiveCurrentLease} instead. A method whose {@code condition} is false has
 * the lease of the next outer one.
 *
 * <p>Holdfast releases the leases when the method has ended: their {@code release()} throws {@link
 * UnsupportedOperationException}, and their {@code close()} does nothing. They remain valid after the method for as long as its
 * lock is held: with a {@code CompletableFuture}, until that is completed.
 *
 * <p>Thread-safe: each thread sees its own.
 */
public final class CurrentLease {

    private CurrentLease() {}

    /**
     * The lease of the running method.
     *
     * @throws IllegalStateException if no {@code @Locked} method runs on this thread, or it holds several locks; see
     *     {@link #get(String)}
     */
    public static Lease get() {
        return of(required());
    }

    /** The lease of this scope. */
    static Lease of(LockScope scope) {
        if (scope.names().size() > 1) {
            throw new IllegalStateException(
                    scope + " holds several locks, " + scope.names() + ": name the one whose lease is wanted");
        }
        return new MethodLease(scope, scope.names().get(0));
    }

    /**
     * The lease of this name that the running method or an outer one holds.
     *
     * @throws IllegalStateException if no {@code @Locked} method on this thread holds a lock of this name
     */
    public static Lease get(String name) {
        Lease lease = of(LockScope.current(), name);
        if (lease == null) {
            throw new IllegalStateException("no @Locked method on thread '"
                    + Thread.currentThread().getName() + "' holds '" + name + "'; it holds " + names());
        }
        return lease;
    }

    /** The lease of this name in this scope or one around it; null if there is none. */
    static @Nullable Lease of(@Nullable LockScope innermost, String name) {
        for (LockScope scope = innermost; scope != null; scope = scope.outer()) {
            if (scope.names().contains(name)) {
                return new MethodLease(scope, name);
            }
        }
        return null;
    }

    /**
     * The lease of the running method; empty if no {@code @Locked} method runs on this thread.
     *
     * @throws IllegalStateException if the running method holds several locks
     */
    public static Optional<Lease> optional() {
        return LockScope.current() == null ? Optional.empty() : Optional.of(get());
    }

    /**
     * The {@linkplain Lease#fencingToken() fencing token} of the running method.
     *
     * @throws IllegalStateException as {@link #get()} does
     */
    public static long token() {
        return get().fencingToken();
    }

    /**
     * The {@linkplain Lease#fencingToken() fencing token} of this name that the running method or an outer one holds.
     *
     * @throws IllegalStateException as {@link #get(String)} does
     */
    public static long token(String name) {
        return get(name).fencingToken();
    }

    /** The names of the locks of the running method, in the order of its annotation; empty if none runs on this thread. */
    public static List<String> names() {
        LockScope scope = LockScope.current();
        return scope == null ? List.of() : scope.names();
    }

    private static LockScope required() {
        LockScope scope = LockScope.current();
        if (scope == null) {
            throw new IllegalStateException("no @Locked method runs on thread '"
                    + Thread.currentThread().getName()
                    + "'. A lease is bound to the thread of its method. A method that is called on the same object runs"
                    + " without its lock, and so does every method in a context without Holdfast: a slice of a test"
                    + " has no locks unless it imports their auto-configuration");
        }
        return scope;
    }
}
