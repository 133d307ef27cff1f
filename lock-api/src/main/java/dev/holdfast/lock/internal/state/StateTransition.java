package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One transition of a {@link WaitQueue}: the instant at which it happens, and the actions that it asks for. The driver begins it under
 * the lock of the name and ends it with {@link WaitQueue#end}; nothing that is asked for happens before that. Timers are set and
 * cancelled, and events are queued, while the name is still locked; everything else follows without the lock. An event that is passed
 * here gets a transition of its own when it happens. Used by one thread.
 */
public interface StateTransition {

    /** The instant of this transition: read once, under the lock of the name. */
    DualClockInstant now();

    /** Whether the engine accepts callers, and hands leases on. */
    boolean isOpen();

    // --- Timers.

    /** A timer of the state. The driver alone sets and cancels it. */
    interface Alarm {

        /** A caller is told that its limit is reached later by this much: a reply that is due by then says why. */
        Duration GRACE = Duration.ofMillis(500);

        /** A timer that is later than this shows that the process stood still, and with it the threads that read replies. */
        Duration LATE = Duration.ofMillis(100);

        /** Whether a timer that was due then is so late that replies may be unread: it does not show an outage yet. */
        static boolean isLate(DualClockInstant due, DualClockInstant now) {
            return due.until(now).compareTo(LATE) > 0;
        }

        /** Sets it, which replaces its earlier setting. It may fire early, by less than the slack. */
        void set(Duration delay, long slackNanos, DualClockInstant now);

        void cancel();
    }

    /** A timer that is not set. */
    Alarm newAlarm(Consumer<StateTransition> event);

    /** Sets a timer that never fires early. */
    void setTimer(Alarm alarm, Duration delay);

    /** @param slackNanos by how much it may fire early; a power of two */
    void setTimer(Alarm alarm, Duration delay, long slackNanos);

    void cancelTimer(Alarm alarm);

    // --- The store.

    /** Sends a command, together with the others of the transition. */
    void send(Lane lane, LockCommand command, Duration timeout, BiConsumer<StoreReply, StateTransition> event);

    /** A release that was asked for. Only the driver knows what became of it. */
    interface SentRelease {}

    /**
     * Releases a lease for a caller that gets the result. A release that is unanswered for too long goes on without a caller.
     *
     * @param atMost the options with the longest time for which the store may keep the lease
     * @param patience for how long an unanswered release is repeated before the callback is told; zero for a single attempt
     * @param token the fencing token of the holder
     * @param since when the holder got the lease
     */
    SentRelease release(
            Lane lane,
            LockCommand.Release command,
            LeaseOptions atMost,
            Duration patience,
            long token,
            DualClockInstant since,
            Consumer<ReleaseResult> callback);

    /** Has an event happen whenever the store has replied to this release, or has not in time. */
    void whenReplied(SentRelease release, Consumer<StateTransition> event);

    /**
     * Sends a release that no thread has sent yet ahead of the next command for this lane, in the same call.
     *
     * @param timeout of that command
     * @return false if it is sent already
     */
    boolean sendAhead(SentRelease release, Lane lane, Duration timeout);

    /** Releases an id that no caller waits for, and repeats that for as long as its lease could last. */
    void releaseOrphan(Lane lane, LockCommand.Release command, LeaseOptions options);

    // --- Others that have to know.

    /** Counts one more lease, which a suspension of the machine must not outlast unnoticed. */
    void leaseBegan();

    void leaseEnded();

    /** Counts one more request that listens for notifications. */
    void listeningBegan();

    void listeningEnded();

    /** Whether there is a lock listener that would get an event. */
    boolean hasListeners();

    /** Tells the lock listeners, in the order of the transitions. */
    void tell(Consumer<LockListener> event);

    /** Tells lock listeners and operators that a renewal was not answered. */
    void unconfirmed(LockName name, LeaseKind kind, long token, Duration left, Throwable cause);

    /** Tells them that one was answered, after some that were not. */
    void confirmed(LockName name, LeaseKind kind, long token, Duration left);

    /** Tells them, and first of all the listeners of the lease, that it is lost. */
    void lost(
            LockName name,
            LeaseKind kind,
            long token,
            Duration held,
            LockLostException loss,
            String why,
            List<Consumer<LockLostException>> lossListeners);

    /** Runs a task that takes no time, such as the callback of a caller. */
    void afterwards(Runnable task);

    /** Lends a thread that waits. */
    interface Lender {

        /** Runs the task on that thread; returns false if it is not idle, or has too little time: then the task does not run. */
        boolean lendThread(Runnable task, DualClockInstant now);
    }

    /**
     * Has an event happen on a thread that may be lent, else on this thread.
     *
     * @param event is told whether the thread is lent
     */
    void lendThread(Lender lender, BiConsumer<Boolean, StateTransition> event);
}
