package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
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
 * request, and none while this process has the lease; only where hand-offs are switched off does each waiter have its own, so
 * that the store's order is that of arrival everywhere.
 *
 * <p>One lock guards the queue and all that belongs to it. Each method is a transition, or a part of one: it changes the state
 * and asks for actions, and touches neither a clock nor a thread nor the store. {@link DeferredActions} says how one begins and
 * ends.
 */
final class WaitQueue {

    /** By so much the check for an outage may come sooner, to share a timer with others; a power of two. */
    private static final long CHECK_SLACK_NANOS = 1L << 25;

    private final Engine engine;
    private final LockName name;
    private final ReentrantLock guard = new ReentrantLock();
    private final Set<Waiter> waiters = new LinkedHashSet<>();
    private final List<PendingAcquire> requests = new ArrayList<>(1);
    private @Nullable StoreLease lease;
    private boolean dropped;

    private final OptimisticAcquire optimistic = new OptimisticAcquire();

    private long responses;
    private final OutageTracker outage = new OutageTracker();
    private CoalescingTimer.@Nullable Alarm outageTimer;
    /** When the queue checks for an outage; null if no timer is set. */
    private @Nullable DualClockInstant outageCheckAt;
    /** The check before was too late to judge by. */
    private boolean checkedLate;

    WaitQueue(Engine engine, LockName name) {
        this.engine = engine;
        this.name = name;
    }

    LockName name() {
        return name;
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
            if (outageCheckAt != null && outageTimer != null) {
                actions.cancelTimer(outageTimer);
            }
            engine.drop(this);
        }
    }

    /** A timer could not be set: the next waiter to join sets it again. */
    void timerFailed() {
        outageCheckAt = null;
        requests.forEach(PendingAcquire::timerFailed);
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
        requests.forEach(request -> request.ensureRetry(actions));
        if (lease != null) {
            lease.expireIfOver(actions);
        }
        if (waiter.takesNextAnswer() && isKnownToBeTaken(actions)) {
            waiter.end(new AcquireResult.Busy(), actions);
            return true;
        }
        waiters.add(waiter);
        waiter.joined(responses, actions);
        boolean itsThreadAsks = lane == Lane.CALLER && lease == null && waiters.size() == 1;
        adjustRequests(lane, waiter.firstCallTimeout(lane, actions.now()), actions);
        if (!itsThreadAsks) {
            watchForOutage(waiter, actions);
        }
        return true;
    }

    /** Whether others are known to come first: a holder in this process, or a longer wait. */
    private boolean isKnownToBeTaken(DeferredActions actions) {
        if (lease != null && lease.isHeld(actions.now())) {
            return true;
        }
        return !outage.lasts() && requests.stream().anyMatch(PendingAcquire::isRefused);
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
            adjustRequests(Lane.BACKGROUND, actions);
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
        if (lease == null && !waiter.isAnswered(responses) && left.compareTo(Duration.ZERO) > 0) {
            waiter.extendOnce(left, actions);
            return;
        }
        boolean isOutage = isOutageAtEndOf(waiter, now);
        if (isOutage && !waiter.takesNextAnswer() && waiter.isTimerLate(now)) {
            waiter.extendOnce(OutageTracker.GRACE, actions);
            return;
        }
        end(waiter, isOutage ? outage.result(waiter, name, now) : new AcquireResult.Busy(), actions);
        adjustRequests(Lane.BACKGROUND, actions);
    }

    /**
     * Whether the end of the wait finds a store that does not answer, rather than a lock that is busy: a lock that was busy a
     * moment ago is so until an attempt has had its time.
     */
    private boolean isOutageAtEndOf(Waiter waiter, DualClockInstant now) {
        if (lease != null && lease.isHeld(now)) {
            return false;
        }
        return outage.lasts()
                || requests.stream()
                        .anyMatch(
                                request -> request.isUnansweredFor(waiter.outageAfter(request.isRefused(), now), now));
    }

    /** Without hand-offs a waiter's place in the store's queue goes with it; else the waiters that are left stand in it. */
    private void end(Waiter waiter, AcquireResult result, DeferredActions actions) {
        if (engine.isStrict()) {
            int place = List.copyOf(waiters).indexOf(waiter);
            if (place < requests.size()) {
                requests.remove(place).withdraw(actions);
            }
        }
        waiters.remove(waiter);
        waiter.end(result, actions);
    }

    boolean hasWaiters() {
        return !waiters.isEmpty();
    }

    private Waiter first() {
        return waiters.iterator().next();
    }

    // --- Requests to the store.

    private void adjustRequests(Lane lane, DeferredActions actions) {
        adjustRequests(lane, waiters.isEmpty() ? Duration.ZERO : first().callTimeout(actions.now()), actions);
    }

    /** As many requests as are wanted; the last to come is the first to go. */
    private void adjustRequests(Lane lane, Duration timeout, DeferredActions actions) {
        int wanted = engine.isStrict() ? waiters.size() : waiters.isEmpty() || lease != null ? 0 : 1;
        while (requests.size() > wanted) {
            requests.remove(requests.size() - 1).withdraw(actions);
        }
        while (requests.size() < wanted) {
            PendingAcquire request = new PendingAcquire(engine, this, first().options(), actions.now());
            requests.add(request);
            request.send(lane, first().options(), wantsPlace(), timeout, actions);
        }
    }

    /** Whether any waiter is willing to queue. */
    private boolean wantsPlace() {
        for (Waiter waiter : waiters) {
            if (!waiter.takesNextAnswer()) {
                return true;
            }
        }
        return false;
    }

    void sendAgain(PendingAcquire request, DeferredActions actions) {
        Waiter first = first();
        request.send(Lane.BACKGROUND, first.options(), wantsPlace(), first.callTimeout(actions.now()), actions);
    }

    /** The timer of a request fired. */
    void retryIsDue(PendingAcquire request) {
        DeferredActions actions = begin();
        try {
            if (request.isPaused()) {
                request.retryTimerFired();
                sendAgain(request, actions);
            }
        } finally {
            actions.run();
        }
    }

    /** The store notifies of a change; for which id, if it says so. */
    void notified(Optional<AcquisitionId> id) {
        DeferredActions actions = begin();
        try {
            for (PendingAcquire request : List.copyOf(requests)) {
                if (id.isEmpty() || id.get().equals(request.id())) {
                    if (request.isPaused()) {
                        actions.acquireByWaiter(request, first());
                    } else {
                        request.sendAgainAfterAnswer();
                    }
                }
            }
        } finally {
            actions.run();
        }
    }

    /** Sends the request again: on the thread of the waiter that gets the lock then, if that only waits; else in the background. */
    void acquireByWaiter(PendingAcquire request, Waiter first) {
        if (!first.lendThread(() -> sendUnlessSent(request, first), engine.now())) {
            sendUnlessSent(request, null);
        }
    }

    /** @param lender the waiter whose thread this is; null for a thread that must not wait for the answer */
    private void sendUnlessSent(PendingAcquire request, @Nullable Waiter lender) {
        DeferredActions actions = begin();
        try {
            if (!request.isPaused()) {
                return;
            }
            if (lender != null && waiters.contains(lender) && lender.hasTimeForCall(actions.now())) {
                request.send(Lane.CALLER, first().options(), wantsPlace(), lender.callTimeout(actions.now()), actions);
            } else {
                sendAgain(request, actions);
            }
        } finally {
            actions.run();
        }
    }

    /** The store answered a request, or did not in time. */
    void answered(PendingAcquire request, StoreResponse response) {
        DeferredActions actions = begin();
        try {
            optimistic.answered(request, response.reply() instanceof LockReply.Granted);
            request.record(response.reply());
            if (request.isOver()) {
                request.releaseId(Lane.CLEANUP, actions);
                return;
            }
            responses++;
            try {
                take(request, response, actions);
            } finally {
                request.ensureRetry(actions);
            }
        } finally {
            actions.run();
        }
    }

    private void take(PendingAcquire request, StoreResponse response, DeferredActions actions) {
        LockReply reply = response.reply();
        if (reply instanceof LockReply.Granted granted && isUseful(request, granted, response, actions)) {
            outage.end(response.sent());
            requests.remove(request);
            request.end(actions);
            begin(
                    new StoreLease(engine, this, request, granted, response.sent(), first().options(), actions.now()),
                    actions);
        } else if (reply instanceof LockReply.Granted granted && isInTime(granted, response, actions)) {
            outage.end(response.sent()); // an answer, though not to what is wanted by now
            request.renewId(actions);
            sendAgain(request, actions);
        } else if (reply instanceof LockReply.Busy || reply instanceof LockReply.Queued) {
            outage.end(response.sent());
            refuseThoseThatAskOnce(actions);
            adjustRequests(Lane.BACKGROUND, actions);
            request.pause(reply, wantsPlace(), actions);
        } else {
            Throwable cause = reply instanceof LockReply.Unavailable unavailable ? unavailable.cause() : null;
            outage.goOn(request.attemptedAt(), cause);
            endThoseWithoutPatience(actions);
            if (!(reply instanceof LockReply.Unavailable) && !request.isOver()) {
                request.renewId(actions);
            }
            request.pause(reply, wantsPlace(), actions);
        }
    }

    /**
     * Not if its lease is over by now, nor if a fixed lease would be of another length, nor if a later grant came before it.
     */
    private boolean isUseful(
            PendingAcquire request, LockReply.Granted granted, StoreResponse response, DeferredActions actions) {
        LeaseOptions wanted = first().options();
        return isInTime(granted, response, actions)
                && (wanted.renewed() || wanted.length().equals(request.options().length()))
                && (lease == null || granted.token() > lease.storeToken());
    }

    /** The lease counts from before the attempt was sent, not from its answer. */
    private static boolean isInTime(LockReply.Granted granted, StoreResponse response, DeferredActions actions) {
        return response.sent().endOf(granted.remaining()).isAfter(actions.now());
    }

    private void refuseThoseThatAskOnce(DeferredActions actions) {
        for (Waiter waiter : List.copyOf(waiters)) {
            if (waiter.takesNextAnswer()) {
                end(waiter, new AcquireResult.Busy(), actions);
            }
        }
    }

    // --- The lease begins and ends.

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
        refuseThoseThatAskOnce(actions);
        adjustRequests(Lane.BACKGROUND, actions);
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

    /**
     * Which thread sends the release. Not the caller's, whose interrupt would break it, if the next request travels in the same
     * call. Without hand-offs the next waiter has a place in the store already: it asks in the same call if that has succeeded
     * lately, and else waits for the notification.
     */
    Lane laneOfRelease(Lane callers) {
        if (waiters.isEmpty()) {
            return callers;
        } else if (requests.isEmpty()) {
            return Lane.BACKGROUND;
        }
        optimistic.choose(requests.get(0));
        return optimistic.toSend() == null ? callers : Lane.BACKGROUND;
    }

    /** The lease is over: the waiters have to ask the store again. */
    void leaseEnded(StoreLease ended, Lane lane, DeferredActions actions) {
        if (lease == ended) {
            lease = null;
            adjustRequests(lane, actions);
            PendingAcquire request = optimistic.toSend();
            if (request != null) {
                sendAgain(request, actions);
            }
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

    /** Something may be overdue. */
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

    /** Ends the waiters, and releases the lease. */
    void close() {
        DeferredActions actions = begin();
        try {
            List.copyOf(waiters).forEach(waiter -> end(waiter, new AcquireResult.Closed(), actions));
            if (lease != null) {
                lease.releaseAtClose(actions);
            }
            adjustRequests(Lane.BACKGROUND, actions);
        } finally {
            actions.run();
        }
    }

    // --- The store does not answer.

    /** Makes sure that this waiter ends in time though no answer comes. */
    void watchForOutage(Waiter waiter) {
        DeferredActions actions = begin();
        try {
            if (waiters.contains(waiter)) {
                watchForOutage(waiter, actions);
            }
        } finally {
            actions.run();
        }
    }

    private void watchForOutage(Waiter waiter, DeferredActions actions) {
        waiter.watched();
        if (waiter.isEndedByOutage()) {
            checkForOutageAfter(waiter.policy().outageLimit().plus(OutageTracker.GRACE), actions);
        }
    }

    /** One check for all waiters: there may be thousands that come and go. */
    private void checkForOutageAfter(Duration delay, DeferredActions actions) {
        DualClockInstant at = actions.now().plus(delay);
        if (outageCheckAt == null || outageCheckAt.until(at).isNegative()) {
            outageTimer = outageTimer == null ? engine.newTimer(this::checkForOutage) : outageTimer;
            outageCheckAt = at;
            actions.setTimer(outageTimer, delay, CHECK_SLACK_NANOS);
        }
    }

    /** Ends the waiters whose limit the outage has reached; checks again when it reaches that of others. */
    private void checkForOutage() {
        DeferredActions actions = begin();
        try {
            DualClockInstant now = actions.now();
            DualClockInstant due = outageCheckAt;
            outageCheckAt = null;
            checkedLate = !checkedLate && due != null && OutageTracker.isLate(due, now);
            if (checkedLate) { // once only: it has to end
                checkForOutageAfter(OutageTracker.GRACE, actions);
                return;
            }
            DualClockInstant pending = oldestAttempt(now);
            boolean isHeld = lease != null && lease.isHeld(now);
            Duration next = null;
            for (Waiter waiter : List.copyOf(waiters)) {
                if (waiter.isEndedByOutage()) {
                    Duration lasted = isHeld ? Duration.ZERO : outage.lastedFor(waiter, pending, now);
                    Duration left = waiter.policy().outageLimit().minus(lasted);
                    if (left.isNegative() || left.isZero()) {
                        end(waiter, outage.result(waiter, name, now), actions);
                    } else if (next == null || left.compareTo(next) < 0) {
                        next = left;
                    }
                }
            }
            adjustRequests(Lane.BACKGROUND, actions);
            if (next != null) {
                checkForOutageAfter(next.plus(OutageTracker.GRACE), actions);
            }
        } finally {
            actions.run();
        }
    }

    /** When the oldest attempt began that is under way; null if none is. */
    private @Nullable DualClockInstant oldestAttempt(DualClockInstant now) {
        DualClockInstant oldest = null;
        for (PendingAcquire request : requests) {
            DualClockInstant attempt = request.attemptedAt();
            if (request.isSent() && (oldest == null || attempt.until(now).compareTo(oldest.until(now)) > 0)) {
                oldest = attempt;
            }
        }
        return oldest;
    }

    private void endThoseWithoutPatience(DeferredActions actions) {
        DualClockInstant now = actions.now();
        for (Waiter waiter : List.copyOf(waiters)) {
            boolean isExtended = waiter.takesNextAnswer() && !waiter.policy().asksOnce();
            if (isExtended || outage.isTooLongFor(waiter, now)) {
                end(waiter, outage.result(waiter, name, now), actions);
            }
        }
        adjustRequests(Lane.BACKGROUND, actions);
    }
}
