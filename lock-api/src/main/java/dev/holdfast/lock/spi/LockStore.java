package dev.holdfast.lock.spi;

import dev.holdfast.lock.LockUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Where locks are kept. It decides who holds what, by its own clock, and remembers it through a crash of any client; the
 * engine does the rest: waiting, renewing, deadlines, repeating what was not answered.
 *
 * <p>Thread-safe and blocking: the engine owns the threads. Whoever writes a store for a system that does one thing at a
 * time extends {@link SimpleLockStore}; every store passes the kit in {@code lock-tck}.
 */
public interface LockStore extends AutoCloseable {

    /** As many calls as callers ever have under way side by side. */
    int MOST_PARALLEL_CALLS = 64;

    /** What this store can do beyond the steps. Always the same. */
    default Set<Capability> capabilities() {
        return Set.of();
    }

    /**
     * Carries out the steps and answers each, in their order. Each step is atomic by itself; a failure of one does not harm
     * another. Steps on the same name are carried out in their order. An interrupted thread stays interrupted.
     *
     * @param steps of any kind and name; none is answered with nothing
     * @param timeout when to stop trying; a store that is silent for longer is unavailable
     * @return one answer per step, in the order of the steps
     * @throws RuntimeException if the outcome of every step is unknown, or the store is closed; the engine asks again by
     *     their ids
     */
    List<Answer> apply(List<Step> steps, Duration timeout);

    /**
     * How many callers are best answered side by side, each by a call on its own thread; the steps of all who come while so
     * many calls are under way gather, and travel together. One, unless overridden: right for a store to which one call of many
     * steps costs little more than one of a single step, as where each call is a durable commit. More where calls are cheap, but
     * no more than half of the connections: renewals, and what is repeated in the background, must not wait for callers.
     * Asked once; {@value #MOST_PARALLEL_CALLS} at most.
     */
    default int parallelCalls() {
        return 1;
    }

    /**
     * Tells when asking again is worth it, until closed; needs {@link Capability#SIGNALS}. Returns at once: whatever takes
     * time, as connecting does, is the store's own affair. {@link Signal#ANY} comes first, once no later release can be
     * missed, and again after each gap.
     *
     * <p>The first in the queue is signalled when the lock is released (with a minimum hold as well), unless it asks in the same
     * call, and a waiter that becomes the first because the one before it left (while the lock is held as well): it asks, and
     * takes the lock or learns when to ask again. One that becomes the first because the place of the one before it ran out may be
     * signalled; it asks within two seconds in any case. Only the subscribers of the very store that last asked for it need
     * to hear. The end of a lease need not be signalled. Each subscription is one for itself, also if two have the same
     * listener.
     *
     * @param to called with each signal, on whatever thread is at hand; it returns soon, never blocks and never throws
     * @throws UnsupportedOperationException without the capability
     */
    default AutoCloseable signals(Consumer<Signal> to) {
        throw new UnsupportedOperationException("this store has no signals");
    }

    /**
     * The locks that are held, kept by a minimum hold or waited for, in the order of their names by code points; needs
     * {@link Capability#INSPECT}. Waiters that are dead are left out. Looking holds up nobody: no step waits for it, however
     * slowly the stream is read. Each lock is shown as it was at one instant, two locks not necessarily at the same. The
     * caller closes the stream.
     *
     * @param prefix what their names start with, compared exactly; empty for all
     * @param timeout for how long the store may be silent at a time
     * @throws UnsupportedOperationException without the capability
     * @throws LockUnavailableException if the store does not answer, also while the stream is read
     */
    default Stream<LockInfo> inspect(String prefix, Duration timeout) {
        throw new UnsupportedOperationException("this store cannot be inspected");
    }

    /**
     * Looks for what may weaken a promise of this store, in its settings and its server's, and changes nothing. What any
     * store can be asked by its steps need not be looked at here.
     *
     * @param timeout for how long the store may be silent
     * @return what was found, with what to do about it
     * @throws LockUnavailableException if the store does not answer
     */
    default List<Finding> examine(Duration timeout) {
        return List.of();
    }

    /** Closes what the store opened itself. Leases are left to expire. Does nothing the second time. */
    @Override
    void close();
}
