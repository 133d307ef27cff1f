package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.GrantsSuspendedException;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one name: the waiters of this process in the order of their arrival, the requests that ask the store for
 * them, and the lease that the store granted. It exists for as long as there is any of these.
 *
 * <p>The queue, not its waiters, asks the store: whichever of its requests is granted, the first waiter gets the lock. There is one
 * request, and none while this process has the lease. With hand-offs switched off, each waiter has its own request, so that the
 * store keeps the order of arrival across processes.
 *
 * <p>One lock guards the queue and all that belongs to it. Each method is called under that lock, and is a transition or a part of one:
 * it changes the state and asks for actions. {@link StateTransition} says how one begins and ends.
 */
public final class WaitQueue {

    private final EngineSettings settings;
    private final LockName name;
    private final ReentrantLock guard = new ReentrantLock();
    private final Set<WaitState> waiters = new LinkedHashSet<>(4);
    private final List<PendingAcquire> requests = new ArrayList<>(1);
    private final OutageTracker outage = new OutageTracker();
    /** Null until there is a waiter that an outage could end. */
    private StateTransition.@Nullable Alarm outageAlarm;
    /** Null until a release could carry the next acquire. */
    private @Nullable OptimisticAcquire optimistic;
    /** How many replies there have been, and timeouts. */
    private long replies;

    private @Nullable StoreLease lease;
    private final ReleaseUnderWay release = new ReleaseUnderWay();

    private boolean dropped;

    public WaitQueue(EngineSettings settings, LockName name) {
        this.settings = settings;
        this.name = name;
    }

    public LockName name() {
        return name;
    }

    /** Locks the name for a transition, and whatever belongs to it. */
    public void lock() {
        guard.lock();
    }

    public void unlock() {
        guard.unlock();
    }

    /**
     * Ends a transition, under the lock still: does what follows for the waiters if the lease was lost in it.
     *
     * @return whether the queue is not used any more, from now on
     */
    public boolean end(StateTransition transition) {
        followLoss(transition);
        if (!waiters.isEmpty() || !requests.isEmpty() || lease != null || release.lasts() || dropped) {
            return false;
        }
        dropped = true;
        if (outage.isCheckPlanned() && outageAlarm != null) {
            transition.cancelTimer(outageAlarm);
        }
        return true;
    }

    /** A timer could not be set: the next waiter to join sets it again. */
    public void timerFailed() {
        outage.timerFailed();
        requests.forEach(PendingAcquire::retryTimerOver);
    }

    // --- Waiters come and go.

    /**
     * Adds a waiter at the end.
     *
     * @return false if this queue was dropped: there may be another one
     */
    public boolean join(WaitState waiter, Lane lane, StateTransition transition) {
        if (dropped) {
            return false;
        }
        ensureRetries(transition);
        expireLease(transition);
        if (waiter.takesNextReply() && isKnownToBeTaken(transition)) {
            waiter.end(transition);
            waiter.busy(transition);
            return true;
        }
        waiters.add(waiter);
        waiter.joined(replies);
        if (waiter.isTimed()) {
            waiter.begin(transition.newAlarm(next -> waitIsOver(waiter, next)), transition);
        }
        boolean itsThreadAsks = lane == Lane.CALLER && lease == null && waiters.size() == 1;
        adjust(lane, waiter.firstCallTimeout(lane, transition.now()), transition);
        if (!itsThreadAsks) {
            watch(waiter, transition);
        }
        return true;
    }

    /** Whether this process knows that the lock is held, or that other waiters come first. */
    private boolean isKnownToBeTaken(StateTransition transition) {
        return isHeld(transition.now())
                || (!outage.isInDoubt() && requests.stream().anyMatch(PendingAcquire::isRefused));
    }

    /**
     * Ends a waiter, whose caller gave up.
     *
     * @return false if it has its result already
     */
    public boolean withdraw(WaitState waiter, StateTransition transition) {
        if (!waiters.contains(waiter)) {
            return false;
        }
        remove(waiter, transition);
        waiter.withdrawn(transition);
        adjust(Lane.BACKGROUND, transition);
        return true;
    }

    private void waitIsOver(WaitState waiter, StateTransition transition) {
        if (!waiters.contains(waiter)) {
            return;
        }
        DualClockInstant now = transition.now();
        Duration left = LeaseOptions.MIN_CALL.minus(waiter.waited(now));
        if (lease == null && !waiter.isAnswered(replies) && left.compareTo(Duration.ZERO) > 0) {
            waiter.extendOnce(left, transition);
            return;
        }
        boolean isOutage = isOutageAtEndOf(waiter, now);
        if (isOutage && !waiter.takesNextReply() && waiter.isTimerLate(now)) {
            waiter.extendOnce(StateTransition.Alarm.GRACE, transition);
            return;
        }
        remove(waiter, transition);
        if (isOutage) {
            outage.tell(waiter, name, transition);
        } else {
            waiter.busy(transition);
        }
        adjust(Lane.BACKGROUND, transition);
    }

    /** Removes a waiter. Without hand-offs its request ends as well; otherwise the remaining waiters share the request. */
    private void remove(WaitState waiter, StateTransition transition) {
        if (settings.isStrict()) {
            removeRequest(waiters().indexOf(waiter), transition);
        }
        waiters.remove(waiter);
        waiter.end(transition);
    }

    private void refuseSingleAttempts(StateTransition transition) {
        for (WaitState waiter : waiters()) {
            if (waiter.takesNextReply()) {
                remove(waiter, transition);
                waiter.busy(transition);
            }
        }
    }

    /** In the order of their arrival; a copy. */
    private List<WaitState> waiters() {
        return List.copyOf(waiters);
    }

    private WaitState first() {
        return waiters.iterator().next();
    }

    /** Whether any waiter is willing to queue. */
    private boolean wantsPlace() {
        for (WaitState waiter : waiters) {
            if (!waiter.takesNextReply()) {
                return true;
            }
        }
        return false;
    }

    // --- Outages.

    /** Ends this waiter when an outage reaches its limit. */
    public void watchForOutage(WaitState waiter, StateTransition transition) {
        if (waiters.contains(waiter)) {
            watch(waiter, transition);
        }
    }

    private void watch(WaitState waiter, StateTransition transition) {
        waiter.watched();
        if (waiter.isEndedByOutage()) {
            checkForOutageAfter(waiter.policy().outageLimit().plus(StateTransition.Alarm.GRACE), transition);
        }
    }

    private void checkForOutageAfter(Duration delay, StateTransition transition) {
        if (outage.planCheck(delay, transition.now())) {
            outageAlarm = outageAlarm == null ? transition.newAlarm(this::checkForOutage) : outageAlarm;
            transition.setTimer(outageAlarm, delay, OutageTracker.CHECK_SLACK_NANOS);
        }
    }

    /** Ends the waiters whose limit the outage has reached; checks again when it reaches that of others. */
    private void checkForOutage(StateTransition transition) {
        DualClockInstant now = transition.now();
        if (!outage.beginCheck(now)) {
            checkForOutageAfter(StateTransition.Alarm.GRACE, transition);
            return;
        }
        DualClockInstant pending = oldestAttempt(now);
        boolean isHeld = isHeld(now);
        Duration next = null;
        for (WaitState waiter : waiters()) {
            if (waiter.isEndedByOutage()) {
                Duration lasted = isHeld ? Duration.ZERO : outage.lastedFor(waiter, pending, now);
                Duration left = waiter.policy().outageLimit().minus(lasted);
                if (left.isNegative() || left.isZero()) {
                    remove(waiter, transition);
                    outage.tell(waiter, name, transition);
                } else if (next == null || left.compareTo(next) < 0) {
                    next = left;
                }
            }
        }
        adjust(Lane.BACKGROUND, transition);
        if (next != null) {
            checkForOutageAfter(next.plus(StateTransition.Alarm.GRACE), transition);
        }
    }

    /**
     * Whether a wait that is over ends with an outage rather than with a busy lock. A lock that was busy a moment ago counts as busy
     * until an attempt has had its time.
     */
    private boolean isOutageAtEndOf(WaitState waiter, DualClockInstant now) {
        return !isHeld(now)
                && (outage.isInDoubt()
                        || requests.stream()
                                .anyMatch(request ->
                                        request.isUnansweredFor(waiter.outageAfter(request.isRefused(), now), now)));
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

    private void endWaitersByOutage(StateTransition transition) {
        DualClockInstant now = transition.now();
        for (WaitState waiter : waiters()) {
            boolean isExtended = waiter.takesNextReply() && !waiter.policy().asksOnce();
            if (isExtended || outage.isTooLongFor(waiter, now)) {
                remove(waiter, transition);
                outage.tell(waiter, name, transition);
            }
        }
    }

    // --- The requests: how many there are, and when they are sent.

    private int requestsWanted() {
        if (settings.isStrict()) {
            return waiters.size();
        }
        return waiters.isEmpty() || lease != null ? 0 : 1;
    }

    private void adjust(Lane lane, StateTransition transition) {
        adjust(lane, waiters.isEmpty() ? Duration.ZERO : first().callTimeout(transition.now()), transition);
    }

    /** Adds or removes requests until there are as many as wanted. The newest is removed first. */
    private void adjust(Lane lane, Duration timeout, StateTransition transition) {
        int wanted = requestsWanted();
        while (requests.size() > wanted) {
            removeRequest(requests.size() - 1, transition);
        }
        while (requests.size() < wanted) {
            PendingAcquire request = new PendingAcquire(settings, name, first().options(), transition.now());
            requests.add(request);
            send(request, lane, timeout, transition);
        }
    }

    /** Removes the request in this place, if there is one. */
    private void removeRequest(int place, StateTransition transition) {
        if (place < requests.size()) {
            requests.remove(place).withdraw(transition);
        }
    }

    private void send(PendingAcquire request, Lane lane, Duration timeout, StateTransition transition) {
        boolean mayOvertake = release.isOvertakenByNext(lane, timeout, transition);
        LockCommand.Acquire command = request.attempt(first().options(), wantsPlace(), mayOvertake, transition);
        transition.send(lane, command, timeout, (reply, next) -> replied(request, reply, next));
    }

    private void sendAgain(PendingAcquire request, StateTransition transition) {
        send(request, Lane.BACKGROUND, first().callTimeout(transition.now()), transition);
    }

    /** Pauses after this reply; not at all if it is worth asking again at once. */
    private void pause(PendingAcquire request, LockReply reply, StateTransition transition) {
        if (request.isOver()) {
            return;
        }
        request.listenIfRefused(transition);
        if (request.isOutdated(wantsPlace())) {
            sendAgain(request, transition);
        } else {
            retryAfter(request.pauseAfter(reply), request, transition);
        }
    }

    private void retryAfter(Duration pause, PendingAcquire request, StateTransition transition) {
        StateTransition.Alarm alarm = request.retryAlarm();
        request.setRetry(
                alarm == null ? transition.newAlarm(next -> retryIsDue(request, next)) : alarm, pause, transition);
    }

    /** Gives each paused request a timer, in case an earlier one could not be set. */
    private void ensureRetries(StateTransition transition) {
        requests.forEach(request -> ensureRetry(request, transition));
    }

    private void ensureRetry(PendingAcquire request, StateTransition transition) {
        if (request.lacksRetry()) {
            retryAfter(request.silentPause(), request, transition);
        }
    }

    private void retryIsDue(PendingAcquire request, StateTransition transition) {
        if (request.isPaused()) {
            request.retryTimerOver();
            sendAgain(request, transition);
        }
    }

    /** The store notifies of a change; for which id, if it says so. */
    public void notified(Optional<AcquisitionId> id, StateTransition transition) {
        for (PendingAcquire request : requests) {
            if (id.isEmpty() || id.get().equals(request.id())) {
                if (request.isPaused()) {
                    WaitState first = first();
                    transition.lendThread(
                            first, (isLent, next) -> sendUnlessSent(request, isLent ? first : null, next));
                } else {
                    request.notifiedMeanwhile();
                }
            }
        }
    }

    /** @param lender the waiter whose thread this is; null for a thread that must not wait for the reply */
    private void sendUnlessSent(PendingAcquire request, @Nullable WaitState lender, StateTransition transition) {
        if (!request.isPaused()) {
            return;
        }
        if (lender != null && waiters.contains(lender) && lender.hasTimeForCall(transition.now())) {
            send(request, Lane.CALLER, lender.callTimeout(transition.now()), transition);
        } else {
            sendAgain(request, transition);
        }
    }

    // --- What the store replies.

    /** The store replied to a request, or did not in time. */
    private void replied(PendingAcquire request, StoreReply received, StateTransition transition) {
        if (optimistic != null) {
            optimistic.replied(request, received.reply() instanceof LockReply.Granted);
        }
        request.record(received.reply());
        if (request.isOver()) {
            request.releaseId(Lane.CLEANUP, transition);
            return;
        }
        if (!isRefusalBefore(request, received.reply())) {
            replies++;
        }
        try {
            take(request, received, transition);
        } finally {
            ensureRetry(request, transition);
        }
    }

    private void take(PendingAcquire request, StoreReply received, StateTransition transition) {
        LockReply reply = received.reply();
        if (reply instanceof LockReply.Granted granted && isUseful(request, granted, received, transition)) {
            outage.answered(received.sent());
            requests.remove(request);
            request.end(transition);
            begin(request.lease(granted, received.sent(), first().options(), transition), transition);
        } else if (reply instanceof LockReply.Granted granted && isInTime(granted, received, transition)) {
            // It does not fit the first waiter: it is released, and another one is asked for.
            outage.answered(received.sent());
            request.renewId(transition);
            sendAgain(request, transition);
        } else if (isRefusalBefore(request, reply)) {
            outage.answered(received.sent());
            if (!release.lasts()) { // else once the store has replied to it
                sendAgain(request, transition);
            }
        } else if (reply instanceof LockReply.Busy || reply instanceof LockReply.Queued) {
            outage.answered(received.sent());
            refuseSingleAttempts(transition);
            adjust(Lane.BACKGROUND, transition);
            pause(request, reply, transition);
        } else {
            Throwable cause = reply instanceof LockReply.Unavailable unavailable ? unavailable.cause() : null;
            GrantsSuspendedException suspension = GrantsSuspendedException.in(reply);
            if (suspension != null) {
                outage.suspended(received.sent(), request.attemptedAt(), suspension);
            } else {
                outage.failed(request.attemptedAt(), cause);
            }
            endWaitersByOutage(transition);
            adjust(Lane.BACKGROUND, transition);
            if (!(reply instanceof LockReply.Unavailable) && !request.isOver()) {
                request.renewId(transition);
            }
            pause(request, reply, transition);
        }
    }

    /** Whether the store may have refused this only because the release of this process's own lease had not arrived yet. */
    private static boolean isRefusalBefore(PendingAcquire request, LockReply reply) {
        return request.mayHaveOvertaken() && (reply instanceof LockReply.Busy || reply instanceof LockReply.Queued);
    }

    /**
     * Whether the first waiter can have this grant: its lease is not over, a fixed lease has the right length, and no later grant has
     * arrived before it.
     */
    private boolean isUseful(
            PendingAcquire request, LockReply.Granted granted, StoreReply received, StateTransition transition) {
        LeaseOptions wanted = first().options();
        return isInTime(granted, received, transition)
                && (wanted.renewed() || wanted.length().equals(request.options().length()))
                && (lease == null || granted.token() > lease.storeToken());
    }

    /** Whether the lease is not over. It counts from before the attempt was sent, not from the reply. */
    private static boolean isInTime(LockReply.Granted granted, StoreReply received, StateTransition transition) {
        return received.sent().endOf(granted.remaining()).isAfter(transition.now());
    }

    // --- The lease begins and ends.

    private boolean isHeld(DualClockInstant now) {
        return lease != null && lease.isHeld(now);
    }

    /** The store granted the lock to this process: the first of its waiters gets it. */
    private void begin(StoreLease granted, StateTransition transition) {
        StoreLease before = lease;
        lease = granted;
        if (before != null && before.lose("the store has granted it again", transition)) {
            releaseLost(before, transition);
        }
        serve(first(), granted, transition);
        granted.begin(transition);
        refuseSingleAttempts(transition);
        adjust(Lane.BACKGROUND, transition);
    }

    /** The waiter becomes the holder of the lease. */
    private void serve(WaitState waiter, StoreLease granted, StateTransition transition) {
        waiters.remove(waiter);
        waiter.end(transition);
        waiter.granted(granted, transition);
    }

    /** Hands the lease, which is held, to the next local waiter if that is allowed, else releases it at the store. */
    public void release(
            StoreLease ending,
            Lane lane,
            Duration patience,
            Consumer<ReleaseResult> callback,
            StateTransition transition) {
        ending.tellReleased(transition);
        if (!waiters.isEmpty() && ending.mayBeHandedTo(first().options(), transition)) {
            ending.handOver(transition.now());
            serve(first(), ending, transition);
            transition.afterwards(() -> callback.accept(ReleaseResult.HELD));
            return;
        }
        ending.release(transition);
        chooseNext();
        Lane releaseLane = laneOfRelease(lane);
        StateTransition.SentRelease sent = ending.sendRelease(releaseLane, patience, callback, transition);
        leaseEnded(ending, releaseLane, transition);
        if (lane != Lane.CALLER && transition.isOpen()) {
            // The commands of this transition follow it anyway.
            release.begin(sent, requests.stream().noneMatch(PendingAcquire::isSent));
            transition.whenReplied(sent, next -> releaseReplied(sent, next));
        }
    }

    /** Asks again for what was refused while this release was under way. */
    private void releaseReplied(StateTransition.SentRelease sent, StateTransition transition) {
        if (!release.end(sent)) {
            return;
        }
        for (PendingAcquire request : List.copyOf(requests)) {
            if (request.isPaused() && request.mayHaveOvertaken()) {
                sendAgain(request, transition);
            }
        }
    }

    /** Ends the lease if its time is over. */
    private void expireLease(StateTransition transition) {
        if (lease != null) {
            lease.expireIfOver(transition);
            followLoss(transition);
        }
    }

    /** If the lease was lost, releases it, and asks the store again for the waiters. */
    private void followLoss(StateTransition transition) {
        if (lease != null && lease.state() == LeaseState.LOST) {
            chooseNext();
            StoreLease lost = lease;
            releaseLost(lost, transition);
            leaseEnded(lost, Lane.BACKGROUND, transition);
        }
    }

    private void releaseLost(StoreLease lost, StateTransition transition) {
        // A renewal may be under way, which would keep the lock busy. The next request shares the call of the release.
        transition.releaseOrphan(
                waiters.isEmpty() ? Lane.CLEANUP : Lane.BACKGROUND, lost.releaseCommand(), lost.optionsAtStore());
    }

    /**
     * Chooses the request that travels in the same call as the release of the lease. Without hand-offs the next waiter has a place in
     * the store already: it asks in the same call if that has succeeded lately, and else waits for the notification.
     */
    private void chooseNext() {
        if (!requests.isEmpty()) {
            optimistic = optimistic == null ? new OptimisticAcquire() : optimistic;
            optimistic.choose(requests.get(0));
        }
    }

    private @Nullable PendingAcquire chosen() {
        return optimistic == null ? null : optimistic.toSend();
    }

    /**
     * Which thread sends the release of the lease. Not the caller's, whose interrupt would break it, if the next request travels in the
     * same call: the chosen one, or a new one.
     */
    private Lane laneOfRelease(Lane callers) {
        boolean isShared = !waiters.isEmpty() && (requests.isEmpty() || chosen() != null);
        return isShared ? Lane.BACKGROUND : callers;
    }

    /** The lease is over and its release is sent: the waiters have to ask the store again. */
    private void leaseEnded(StoreLease ended, Lane lane, StateTransition transition) {
        if (lease == ended) { // else an error in an earlier transition left it behind
            lease = null;
        }
        adjust(lane, transition);
        PendingAcquire request = chosen();
        if (request != null) {
            sendAgain(request, transition);
        }
    }

    /** Does what is overdue, as after a suspension. */
    public void tick(StateTransition transition) {
        if (lease != null) {
            lease.tick(transition);
        }
    }

    /**
     * Ends the waiters, and releases the lease.
     *
     * @param limit for how long an unanswered release is repeated
     * @return the lease that was released, if one was held
     */
    public Optional<StoreLease> close(Duration limit, StateTransition transition) {
        for (WaitState waiter : waiters()) {
            remove(waiter, transition);
            waiter.closed(transition);
        }
        expireLease(transition);
        StoreLease held = lease;
        if (held != null) {
            release(held, Lane.BACKGROUND, limit, ignored -> {}, transition);
        }
        adjust(Lane.BACKGROUND, transition);
        return Optional.ofNullable(held);
    }
}
