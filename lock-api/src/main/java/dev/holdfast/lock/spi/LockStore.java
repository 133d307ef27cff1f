package dev.holdfast.lock.spi;

import dev.holdfast.lock.LockUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The place where locks are kept. A store decides by its own clock which id holds a lock, and keeps that decision through the
 * crash of any client. The engine does the rest: waiting, renewal, deadlines, repetition of unanswered commands.
 *
 * <p>Thread-safe and blocking: the engine owns the threads. A store for a system without batches extends
 * {@link SimpleLockStore}. Every store passes the conformance kit in {@code lock-tck}.
 */
public interface LockStore extends AutoCloseable {

    /** The upper bound of {@link #parallelCalls}. */
    int MAX_PARALLEL_CALLS = 64;

    /** The upper bound of {@link #notificationDelay}. */
    int MAX_NOTIFICATION_DELAY_MILLIS = 100;

    /** The optional abilities of this store. Constant. */
    default Set<Capability> capabilities() {
        return Set.of();
    }

    /**
     * Executes the commands and replies to each, in their order. Each command is atomic by itself; the failure of one does not
     * affect another. Commands on the same name are executed in their order. An interrupted thread stays interrupted.
     *
     * @param commands of any kind and name; an empty list returns an empty list
     * @param timeout when to give up; a store that is silent for longer is unavailable
     * @return one reply per command, in the order of the commands
     * @throws UnsupportedOperationException if a command has another share than {@link Share#EXCLUSIVE}, without the capability
     *     {@link Capability#SHARES}; no command was executed. {@link Share#requireExclusive} throws it
     * @throws RuntimeException if the outcome of every command is unknown, or the store is closed; the engine repeats the
     *     commands with the same ids
     */
    List<LockReply> execute(List<LockCommand> commands, Duration timeout);

    /**
     * The number of calls of {@link #execute} on behalf of callers that may run in parallel, each on the thread of its caller. Commands
     * that arrive during that many calls join the next batch. One, unless overridden: right for a store where a batch costs little
     * more than a single command, for example because each call is a durable commit. More where calls are cheap, but at most half
     * of the connections: renewals and background repetitions must not wait for callers. Where all calls share a connection, and
     * none waits for the reply to another, the number of connections sets no bound. Read for each call, and may change; it must not
     * block. The engine uses at most {@value #MAX_PARALLEL_CALLS}.
     */
    default int parallelCalls() {
        return 1;
    }

    /**
     * The longest delay of a notification while the store is well, beyond a round trip: the pause between two polls, in a store
     * that polls for notifications. Zero, unless overridden: right for a store that sends them. The longer it is, the longer a
     * process hands the lock to its own waiters before another one has its turn, so that most of the time is not spent between
     * turns. Read once; the engine uses at most {@value #MAX_NOTIFICATION_DELAY_MILLIS} ms.
     */
    default Duration notificationDelay() {
        return Duration.ZERO;
    }

    /**
     * The shortest lease that this store keeps through everything that it promises to survive, such as a failover. The engine
     * refuses a shorter one before it sends a command. Zero, unless overridden: right for a store to which the length makes no
     * difference. Read once; it must not block.
     */
    default Duration shortestLease() {
        return Duration.ZERO;
    }

    /**
     * Notifies the listener when retrying is worthwhile, until the subscription is closed; needs
     * {@link Capability#NOTIFICATIONS}. Returns at once: the store connects in the background. {@link Notification#ANY} comes
     * first, once no later release can be missed, and again after each gap.
     *
     * <p>The store notifies the first waiter of a queue when the lock is released (also with a minimum hold), unless the waiter
     * sends its Acquire in the same call. It notifies a waiter that becomes the first because the one before it left (also
     * while the lock is held): the waiter retries, and takes the lock or learns when to retry. A waiter that becomes the first
     * because the place of the one before it expired may be notified; it retries within two seconds in any case. A store with
     * {@link Capability#SHARES} notifies each waiter that becomes due by a release or because another one left. Only
     * subscribers of the store instance that sent the waiter's last Acquire need to be notified. The end of a lease need not be
     * notified. Subscriptions are independent of each other, also with the same listener.
     *
     * @param listener called with each notification, on any thread; it returns soon, never blocks and never throws
     * @throws UnsupportedOperationException without the capability
     */
    default AutoCloseable subscribe(Consumer<Notification> listener) {
        throw new UnsupportedOperationException("this store sends no notifications");
    }

    /**
     * The locks that are held, busy by a minimum hold or waited for, in the order of their names by code points; needs
     * {@link Capability#LIST}. Dead waiters are left out. Listing blocks no command, however slowly the stream is read. Each
     * lock is shown as it was at one instant; two locks may be shown at different instants. The caller closes the stream.
     *
     * @param prefix the beginning of the names, compared exactly; empty for all
     * @param timeout how long the store may be silent at a time
     * @throws UnsupportedOperationException without the capability
     * @throws LockUnavailableException if the store does not answer, also while the stream is read
     */
    default Stream<LockInfo> list(String prefix, Duration timeout) {
        throw new UnsupportedOperationException("this store cannot list its locks");
    }

    /**
     * Checks the settings of this store and its server for everything that may weaken a promise, and changes nothing. Whether
     * commands work need not be checked here.
     *
     * @param timeout how long the store may be silent
     * @return the findings, each with advice
     * @throws LockUnavailableException if the store does not answer
     */
    default List<Finding> diagnose(Duration timeout) {
        return List.of();
    }

    /**
     * Closes the connections and ends the threads that the store opened. Leases are left to expire. Commands are unavailable from
     * then on. A second call does nothing.
     */
    @Override
    void close();
}
