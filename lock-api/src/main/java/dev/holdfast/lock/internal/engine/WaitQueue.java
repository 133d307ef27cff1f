package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one name: the waiters of this process in the order of their arrival, the requests that ask the store for
 * them, and the lease that the store granted. It exists for as long as there is any of these.
 *
 * <p>The queue, not its waiters, asks the store: whichever of its requests is granted, the first waiter gets the lock. There is one
 * request, and none while this process has the lease. With hand-offs switched off, each waiter has its own request, so that the
 * store keeps the order of arrival across processes.
 *
 * <p>One lock guards the queue and all that belongs to it. Each method is a transition, or a part of one: it changes the state
 * and asks for actions, and touches neither a clock nor a thread nor the store. {@link DeferredActions} says how one begins and
 * ends.
 */
final class WaitQueue {

    private final Engine engine;
    private final LockName name;
    private final ReentrantLock guard = new ReentrantLock();
    private final Set<Waiter> waiters = new LinkedHashSet<>(4);
    private final AcquireRequests requests;
    private final OutageTracker outage;
    private @Nullable StoreLease lease;
    private boolean dropped;

    WaitQueue(Engine engine, LockName name) {
        this.engine = engine;
        this.name = name;
        this.requests = new AcquireRequests(engine, this);
        this.outage = new OutageTracker(engine, this, requests);
    }

    LockName name() {
        return name;
    }

    AcquireRequests requests() {
        return requests;
    }

    /** Locks the queue for a transition, which {@link DeferredActions#run} ends. */
    DeferredActions begin() {
        DeferredActions actions = new DeferredActions(engine, this);
        guard.lock();
        return actions;
    }

    void unlock() {
        guard.unlock();
    }

    void dropIfIdle(DeferredActions actions) {
        if (waiters.isEmpty() && requests.isEmpty() && lease == null && !dropped) {
            dropped = true;
            outage.cancel(actions);
            engine.drop(this);
        }
    }

    /** A timer could not be set: the next waiter to join sets it again. */
    void timerFailed() {
        outage.timerFailed();
        requests.timerFailed();
    }

    // --- Waiters come and go.

    /**
     * Adds a waiter at the end.
     *
     * @return false if this queue was dropped: there may be another one
     * @throws IllegalStateException if the engine is closed
     */
    boolean join(Waiter waiter, Lane lane, DeferredActions actions) {
        if (dropped) {
            return false;
        }
        engine.requireOpen();
        requests.ensureRetries(actions);
        if (lease != null) {
            lease.expireIfOver(actions);
        }
        if (waiter.takesNextAnswer() && isKnownToBeTaken(actions)) {
            waiter.end(new AcquireResult.Busy(), actions);
            return true;
        }
        waiters.add(waiter);
        waiter.joined(requests.answers(), actions);
        boolean itsThreadAsks = lane == Lane.CALLER && lease == null && waiters.size() == 1;
        requests.adjust(lane, waiter.firstCallTimeout(lane, actions.now()), actions);
        if (!itsThreadAsks) {
            outage.watch(waiter, actions);
        }
        return true;
    }

    /** Whether this process knows that the lock is held, or that other waiters come first. */
    private boolean isKnownToBeTaken(DeferredActions actions) {
        return isHeld(actions.now()) || (!outage.lasts() && requests.anyRefused());
    }

    /** Ends this waiter when an outage reaches its limit. */
    void watchForOutage(Waiter waiter) {
        DeferredActions actions = begin();
        try {
            if (waiters.contains(waiter)) {
                outage.watch(waiter, actions);
            }
        } finally {
            actions.run();
        }
    }

    /**
     * Ends a waiter.
     *
     * @return false if it has its result already
     */
    boolean withdraw(Waiter waiter) {
        DeferredActions actions = begin();
        try {
            if (!waiters.contains(waiter)) {
                return false;
            }
            end(waiter, new AcquireResult.Withdrawn(), actions);
            requests.adjust(Lane.BACKGROUND, actions);
            return true;
        } finally {
            actions.run();
        }
    }

    /** The timer of a waiter fired. */
    void waitIsOver(Waiter waiter) {
        DeferredActions actions = begin();
        try {
            if (waiters.contains(waiter)) {
                endOrExtendWait(waiter, actions);
            }
        } finally {
            actions.run();
        }
    }

    private void endOrExtendWait(Waiter waiter, DeferredActions actions) {
        DualClockInstant now = actions.now();
        Duration left = Waiter.MIN_CALL.minus(waiter.waited(now));
        if (lease == null && !waiter.isAnswered(requests.answers()) && left.compareTo(Duration.ZERO) > 0) {
            waiter.extendOnce(left, actions);
            return;
        }
        boolean isOutage = outage.isFoundAtEndOf(waiter, now);
        if (isOutage && !waiter.takesNextAnswer() && waiter.isTimerLate(now)) {
            waiter.extendOnce(OutageTracker.GRACE, actions);
            return;
        }
        end(waiter, isOutage ? outage.result(waiter, now) : new AcquireResult.Busy(), actions);
        requests.adjust(Lane.BACKGROUND, actions);
    }

    /** Ends a waiter. Without hand-offs its request ends as well; otherwise the remaining waiters share the request. */
    void end(Waiter waiter, AcquireResult result, DeferredActions actions) {
        if (engine.isStrict()) {
            requests.remove(waiters().indexOf(waiter), actions);
        }
        waiters.remove(waiter);
        waiter.end(result, actions);
    }

    private void refuseSingleAttempts(DeferredActions actions) {
        for (Waiter waiter : waiters()) {
            if (waiter.takesNextAnswer()) {
                end(waiter, new AcquireResult.Busy(), actions);
            }
        }
    }

    private void endWaitersByOutage(DeferredActions actions) {
        DualClockInstant now = actions.now();
        for (Waiter waiter : waiters()) {
            boolean isExtended = waiter.takesNextAnswer() && !waiter.policy().asksOnce();
            if (isExtended || outage.isTooLongFor(waiter, now)) {
                end(waiter, outage.result(waiter, now), actions);
            }
        }
    }

    /** In the order of their arrival; a copy. */
    List<Waiter> waiters() {
        return List.copyOf(waiters);
    }

    boolean contains(Waiter waiter) {
        return waiters.contains(waiter);
    }

    boolean hasWaiters() {
        return !waiters.isEmpty();
    }

    Waiter first() {
        return waiters.iterator().next();
    }

    // --- What the store is asked for, and answers.

    int requestsWanted() {
        if (engine.isStrict()) {
            return waiters.size();
        }
        return waiters.isEmpty() || lease != null ? 0 : 1;
    }

    /** Whether any waiter is willing to queue. */
    boolean wantsPlace() {
        for (Waiter waiter : waiters) {
            if (!waiter.takesNextAnswer()) {
                return true;
            }
        }
        return false;
    }

    /** The store answered a request that is not over, or did not in time. */
    void answered(PendingAcquire request, StoreResponse response, DeferredActions actions) {
        LockReply reply = response.reply();
        if (reply instanceof LockReply.Granted granted && isUseful(request, granted, response, actions)) {
            outage.answered(response.sent());
            requests.removeGranted(request, actions);
            begin(
                    new StoreLease(engine, this, request, granted, response.sent(), first().options(), actions.now()),
                    actions);
        } else if (reply instanceof LockReply.Granted granted && isInTime(granted, response, actions)) {
            // It does not fit the first waiter: it is released, and another one is asked for.
            outage.answered(response.sent());
            request.renewId(actions);
            requests.sendAgain(request, actions);
        } else if (reply instanceof LockReply.Busy || reply instanceof LockReply.Queued) {
            outage.answered(response.sent());
            refuseSingleAttempts(actions);
            requests.adjust(Lane.BACKGROUND, actions);
            request.pause(reply, wantsPlace(), actions);
        } else {
            Throwable cause = reply instanceof LockReply.Unavailable unavailable ? unavailable.cause() : null;
            outage.failed(request.attemptedAt(), cause);
            endWaitersByOutage(actions);
            requests.adjust(Lane.BACKGROUND, actions);
            if (!(reply instanceof LockReply.Unavailable) && !request.isOver()) {
                request.renewId(actions);
            }
            request.pause(reply, wantsPlace(), actions);
        }
    }

    /**
     * Whether the first waiter can have this grant: its lease is not over, a fixed lease has the right length, and no later grant has
     * arrived before it.
     */
    private boolean isUseful(
            PendingAcquire request, LockReply.Granted granted, StoreResponse response, DeferredActions actions) {
        LeaseOptions wanted = first().options();
        return isInTime(granted, response, actions)
                && (wanted.renewed() || wanted.length().equals(request.options().length()))
                && (lease == null || granted.token() > lease.storeToken());
    }

    /** Whether the lease is not over. It counts from before the attempt was sent, not from the reply. */
    private static boolean isInTime(LockReply.Granted granted, StoreResponse response, DeferredActions actions) {
        return response.sent().endOf(granted.remaining()).isAfter(actions.now());
    }

    // --- The lease begins and ends.

    boolean isHeld(DualClockInstant now) {
        return lease != null && lease.isHeld(now);
    }

    /** The store granted the lock to this process: the first of its waiters gets it. */
    private void begin(StoreLease granted, DeferredActions actions) {
        StoreLease before = lease;
        lease = granted;
        if (before != null) {
            before.lose("the store has granted it anew", actions);
        }
        Waiter first = first();
        waiters.remove(first);
        first.end(new AcquireResult.Held(granted.holder()), actions);
        granted.begin(actions);
        refuseSingleAttempts(actions);
        requests.adjust(Lane.BACKGROUND, actions);
    }

    /** The waiter that gets the lease next, without a call to the store, if that is allowed; null if none. */
    @Nullable
    Waiter pollForHandOff(StoreLease ending, DeferredActions actions) {
        if (lease != ending || waiters.isEmpty() || !ending.mayBeHandedTo(first().options(), actions.now())) {
            return null;
        }
        Waiter next = first();
        waiters.remove(next);
        return next;
    }

    /** The lease is over, and its release is about to be sent: chooses the request of a waiter that shares that call, if any. */
    void chooseNextRequest(StoreLease ended) {
        if (lease == ended) {
            requests.chooseNext();
        }
    }

    /** Which thread sends the release: the caller's, unless the release shares its call with the request of a waiter. */
    Lane laneOfRelease(Lane callers) {
        return waiters.isEmpty() ? callers : requests.laneOfRelease(callers);
    }

    /** The lease is over and its release is sent: the waiters have to ask the store again. */
    void leaseEnded(StoreLease ended, Lane lane, DeferredActions actions) {
        if (lease == ended) {
            lease = null;
            requests.leaseEnded(lane, actions);
        }
    }

    void releaseOrphan(LockCommand.Release command, LeaseOptions options) {
        DeferredActions actions = begin();
        try {
            actions.sendOrphan(Lane.CLEANUP, command, options);
        } finally {
            actions.run();
        }
    }

    /** Does what is overdue, as after a suspension. */
    void tick() {
        DeferredActions actions = begin();
        try {
            if (lease != null) {
                lease.tick(actions);
            }
        } finally {
            actions.run();
        }
    }

    /**
     * Ends the waiters, and releases the lease, whose holder it returns.
     *
     * @param limit for how long an unanswered release is repeated
     */
    Optional<LeaseHolder> close(Duration limit) {
        DeferredActions actions = begin();
        try {
            waiters().forEach(waiter -> end(waiter, new AcquireResult.Closed(), actions));
            Optional<LeaseHolder> holder = lease == null ? Optional.empty() : lease.releaseAtClose(limit, actions);
            requests.adjust(Lane.BACKGROUND, actions);
            return holder;
        } finally {
            actions.run();
        }
    }
}
