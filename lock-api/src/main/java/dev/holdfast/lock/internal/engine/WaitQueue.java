package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Everybody of this process who wants one name, in the order in which they came, and this process's turn if it has one. Lasts
 * for as long as there is anybody.
 *
 * <p>The line, not its waiters, asks the store: whichever of its tickets is granted, the first waiter gets the lock. There is
 * one ticket, and none while it is this process's turn; only where hand-offs are switched off has each waiter its own, so that
 * the store's order is that of arrival everywhere.
 *
 * <p>One lock guards the line and all that belongs to it. What a change leads to happens after it: {@link DeferredActions}.
 */
final class WaitQueue {

    /** So much sooner the look at a silent store may come, to go together with others'; a power of two. */
    private static final long LOOK_NANOS = 1L << 25;

    private final Engine engine;
    private final LockName name;
    private final ReentrantLock guard = new ReentrantLock();
    private final Set<Waiter> waiters = new LinkedHashSet<>();
    private final List<PendingAcquire> tickets = new ArrayList<>(1);
    private @Nullable StoreGrant turn;
    private boolean dropped;

    private final OptimisticAcquire next = new OptimisticAcquire();

    private long replies;
    private final OutageTracker silence;
    private CoalescingTimer.@Nullable Alarm look;
    /** When the silence of the store is looked at; null if that need not be. */
    private @Nullable DualClockInstant lookAt;
    /** The look before was too late to judge by. */
    private boolean lookedLate;

    WaitQueue(Engine engine, LockName name) {
        this.engine = engine;
        this.name = name;
        this.silence = new OutageTracker(engine);
    }

    LockName name() {
        return name;
    }

    /** Changes the state of the line or of what belongs to it; then does what that leads to, and returns what it returned. */
    <T> T changed(Function<DeferredActions, T> change) {
        DeferredActions effects = new DeferredActions(engine);
        try {
            guard.lock();
            try {
                return change.apply(effects);
            } finally {
                try {
                    dropIfIdle();
                } finally {
                    guard.unlock();
                }
            }
        } finally {
            effects.run(); // whatever else happened: what has changed so far has changed
        }
    }

    void change(Consumer<DeferredActions> change) {
        boolean unused = changed(effects -> {
            change.accept(effects);
            return true;
        });
    }

    private void dropIfIdle() {
        if (waiters.isEmpty() && tickets.isEmpty() && turn == null && !dropped) {
            dropped = true;
            if (lookAt != null && look != null) {
                look.cancel();
            }
            engine.drop(this);
        }
    }

    /**
     * Takes a waiter in, at the end.
     *
     * @return false if this line is no more: there may be another
     * @throws IllegalStateException if the engine is closed
     */
    boolean join(Waiter waiter, Lane lane) {
        return changed(effects -> {
            if (dropped) {
                return false;
            }
            engine.requireOpen();
            tickets.forEach(PendingAcquire::pauseUnlessPaused);
            if (turn != null) {
                turn.endIfOver(effects);
            }
            if (waiter.isLast() && isTaken()) {
                waiter.end(new AcquireResult.Busy(), effects);
            } else {
                waiters.add(waiter);
                waiter.begin(replies);
                adjustTickets(lane, waiter.ownCallTimeout(lane), effects);
                if (lane != Lane.CALLER || turn != null || waiters.size() > 1) { // else its own thread is about to ask
                    lookAtSilence(waiter);
                }
            }
            return true;
        });
    }

    /** Whether it is known without asking that others come first: who holds the lock here, or has waited for longer. */
    private boolean isTaken() {
        return (turn != null && turn.isHeld())
                || (!silence.lasts() && tickets.stream().anyMatch(PendingAcquire::isRefused));
    }

    /**
     * Ends a waiter.
     *
     * @return false if it has its outcome already
     */
    boolean giveUp(Waiter waiter, AcquireResult outcome) {
        return changed(effects -> {
            if (!waiters.contains(waiter)) {
                return false;
            }
            end(waiter, outcome, effects);
            adjustTickets(Lane.BACKGROUND, effects);
            return true;
        });
    }

    void waitIsOver(Waiter waiter) {
        change(effects -> {
            if (!waiters.contains(waiter)) {
                return;
            }
            Duration left = Waiter.SHORTEST_CALL.minus(waiter.waited());
            if (turn == null && !waiter.isAnswered(replies) && left.compareTo(Duration.ZERO) > 0) {
                waiter.giveLastChance(left);
                return;
            }
            boolean isSilent = isSilentTowards(waiter);
            if (isSilent && !waiter.isLast() && waiter.isOverLate()) {
                waiter.giveLastChance(OutageTracker.GRACE);
                return;
            }
            end(waiter, isSilent ? silence.outcome(waiter, name) : new AcquireResult.Busy(), effects);
            adjustTickets(Lane.BACKGROUND, effects);
        });
    }

    /**
     * Whether the end of the wait finds a store that does not answer, rather than a lock that is busy: one that was busy a
     * moment ago is so until an attempt has had its time.
     */
    private boolean isSilentTowards(Waiter waiter) {
        if (turn != null && turn.isHeld()) {
            return false;
        }
        return silence.lasts()
                || tickets.stream().anyMatch(ticket -> ticket.isUnansweredFor(waiter.patienceWith(ticket.isRefused())));
    }

    /** Has this waiter end in time though no reply comes. */
    void limitSilence(Waiter waiter) {
        change(effects -> {
            if (waiters.contains(waiter)) {
                lookAtSilence(waiter);
            }
        });
    }

    private void lookAtSilence(Waiter waiter) {
        waiter.watched();
        if (waiter.isLimitedBySilence()) {
            lookAtSilenceAfter(waiter.patience().silence().plus(OutageTracker.GRACE));
        }
    }

    /** One look for all who wait, as there may be thousands who come and go. */
    private void lookAtSilenceAfter(Duration delay) {
        DualClockInstant now = engine.now();
        DualClockInstant at = now.plus(delay);
        if (lookAt == null || lookAt.until(at).isNegative()) {
            look = look == null ? engine.newAlarm(this::lookAtSilence) : look;
            lookAt = null; // it may fail, and then none is set: the next to come tries again
            look.set(delay, LOOK_NANOS, now);
            lookAt = at;
        }
    }

    /** Ends those for whom the store has been silent for as long as they bear; looks again when that may be so of others. */
    private void lookAtSilence() {
        change(effects -> {
            DualClockInstant due = lookAt;
            lookAt = null;
            lookedLate = !lookedLate && due != null && OutageTracker.isLate(due, engine.now());
            if (lookedLate) { // once only: it has to end
                lookAtSilenceAfter(OutageTracker.GRACE);
                return;
            }
            DualClockInstant pending = oldestAttempt();
            boolean isHeld = turn != null && turn.isHeld();
            Duration next = null;
            for (Waiter waiter : List.copyOf(waiters)) {
                Duration silent = isHeld ? Duration.ZERO : silence.towards(waiter, pending);
                Duration left = waiter.patience().silence().minus(silent);
                boolean isOver = left.isNegative() || left.isZero();
                if (isOver && waiter.isLimitedBySilence()) {
                    end(waiter, silence.outcome(waiter, name), effects);
                } else if (waiter.isLimitedBySilence() && (next == null || left.compareTo(next) < 0)) {
                    next = left;
                }
            }
            adjustTickets(Lane.BACKGROUND, effects);
            if (next != null) { // last, as it may fail
                lookAtSilenceAfter(next.plus(OutageTracker.GRACE));
            }
        });
    }

    /** When the oldest attempt was begun that is on its way; null if none is. */
    private @Nullable DualClockInstant oldestAttempt() {
        DualClockInstant now = engine.now();
        return tickets.stream()
                .filter(PendingAcquire::isAsking)
                .map(PendingAcquire::attemptedAt)
                .max(Comparator.comparing(attempt -> attempt.until(now)))
                .orElse(null);
    }

    /** Whether anybody here waits. */
    boolean isWanted() {
        return !waiters.isEmpty();
    }

    private void adjustTickets(Lane lane, DeferredActions effects) {
        adjustTickets(lane, waiters.isEmpty() ? Duration.ZERO : first().callTimeout(), effects);
    }

    /** As many tickets as are wanted; the last to come is the first to go. */
    private void adjustTickets(Lane lane, Duration timeout, DeferredActions effects) {
        int wanted = wantedTickets();
        while (tickets.size() > wanted) {
            tickets.remove(tickets.size() - 1).withdraw(effects);
        }
        while (tickets.size() < wanted) {
            PendingAcquire ticket = new PendingAcquire(engine, this, first().terms());
            tickets.add(ticket);
            ask(ticket, lane, timeout, effects);
        }
    }

    private int wantedTickets() {
        if (engine.isStrict()) {
            return waiters.size();
        }
        return waiters.isEmpty() || turn != null ? 0 : 1;
    }

    private Waiter first() {
        return waiters.iterator().next();
    }

    private void ask(PendingAcquire ticket, Lane lane, Duration timeout, DeferredActions effects) {
        ticket.ask(lane, first().terms(), wantsPlace(), timeout, effects);
    }

    /** Whether anybody here is willing to queue. */
    private boolean wantsPlace() {
        return waiters.stream().anyMatch(waiter -> !waiter.isLast());
    }

    /** A pause is over. */
    void askAgain(PendingAcquire ticket) {
        change(effects -> {
            if (ticket.isPaused()) {
                ticket.pauseIsOver();
                askAgain(ticket, effects);
            }
        });
    }

    void askAgain(PendingAcquire ticket, DeferredActions effects) {
        ask(ticket, Lane.BACKGROUND, first().callTimeout(), effects);
    }

    /** By the thread of whoever gets the lock then, if there is one that only waits; else in the background. */
    void askByWhoWaits(PendingAcquire ticket, DeferredActions effects) {
        Waiter first = first();
        effects.add(() -> {
            if (!first.lend(() -> askUnlessAsked(ticket, first))) {
                askUnlessAsked(ticket, null);
            }
        });
    }

    /** @param lent whose thread this is; null for one that must not wait for the answer */
    private void askUnlessAsked(PendingAcquire ticket, @Nullable Waiter lent) {
        change(effects -> {
            if (!ticket.isPaused()) {
                return;
            }
            if (lent != null && waiters.contains(lent) && lent.hasTimeForACall()) {
                ask(ticket, Lane.CALLER, lent.callTimeout(), effects);
            } else {
                askAgain(ticket, effects);
            }
        });
    }

    /** Something has changed at the store; for whom, if it says so. */
    void signalled(Optional<AcquisitionId> whose) {
        change(effects -> List.copyOf(tickets).forEach(ticket -> ticket.signalled(whose, effects)));
    }

    void onReply(PendingAcquire ticket, StoreResponse reply) {
        change(effects -> {
            next.replied(ticket, reply.answer() instanceof Answer.Granted);
            ticket.note(reply.answer());
            if (ticket.isOver()) {
                ticket.giveUpId(Lane.ORPHANS, effects);
            } else {
                replies++;
                try {
                    take(ticket, reply, effects);
                } finally {
                    ticket.pauseUnlessPaused();
                }
            }
        });
    }

    private void take(PendingAcquire ticket, StoreResponse reply, DeferredActions effects) {
        Answer answer = reply.answer();
        if (answer instanceof Answer.Granted granted && isUseful(ticket, granted, reply)) {
            silence.end(reply.sent());
            tickets.remove(ticket);
            ticket.over();
            StoreGrant grant = new StoreGrant(engine, this, ticket, granted, reply.sent(), first());
            begin(grant, effects);
        } else if (answer instanceof Answer.Granted granted && isInTime(granted, reply)) {
            silence.end(reply.sent()); // an answer, though not to what is wanted by now
            ticket.startAnew(effects);
            askAgain(ticket, effects);
        } else if (answer instanceof Answer.Busy || answer instanceof Answer.Waiting) {
            silence.end(reply.sent());
            refuseWhoAskedOnce(effects);
            adjustTickets(Lane.BACKGROUND, effects);
            pause(ticket, answer, effects);
        } else {
            Throwable why = answer instanceof Answer.Unavailable unavailable ? unavailable.why() : null;
            silence.goOn(ticket.attemptedAt(), why);
            endWhoHasWaitedInVain(effects);
            if (!(answer instanceof Answer.Unavailable) && !ticket.isOver()) {
                ticket.startAnew(effects);
            }
            pause(ticket, answer, effects);
        }
    }

    /**
     * Not if its lease is over by now, nor if a lease of fixed length would be of another one, nor if a later grant was
     * heard of before.
     */
    private boolean isUseful(PendingAcquire ticket, Answer.Granted granted, StoreResponse reply) {
        LeaseOptions wanted = first().terms();
        return isInTime(granted, reply)
                && (wanted.renewed() || wanted.length().equals(ticket.terms().length()))
                && (turn == null || granted.token() > turn.token());
    }

    private boolean isInTime(Answer.Granted granted, StoreResponse reply) {
        return reply.sent().endOf(granted.remaining()).isAfter(engine.now());
    }

    private void pause(PendingAcquire ticket, Answer answer, DeferredActions effects) {
        if (!ticket.isOver()) {
            ticket.pauseAfter(answer, wantsPlace(), effects);
        }
    }

    private void refuseWhoAskedOnce(DeferredActions effects) {
        endAll(Waiter::isLast, waiter -> new AcquireResult.Busy(), effects);
    }

    private void endWhoHasWaitedInVain(DeferredActions effects) {
        endAll(
                waiter -> silence.isTooLongFor(waiter)
                        || (waiter.isLast() && !waiter.patience().asksOnce()),
                waiter -> silence.outcome(waiter, name),
                effects);
        adjustTickets(Lane.BACKGROUND, effects);
    }

    private void endAll(Predicate<Waiter> which, Function<Waiter, AcquireResult> how, DeferredActions effects) {
        List<Waiter> ending = waiters.stream().filter(which).toList();
        ending.forEach(waiter -> end(waiter, how.apply(waiter), effects));
    }

    /** Without hand-offs a waiter's place in the store is its own, and goes with it; else whoever is left stands in it. */
    private void end(Waiter waiter, AcquireResult outcome, DeferredActions effects) {
        if (engine.isStrict()) {
            int place = List.copyOf(waiters).indexOf(waiter);
            if (place < tickets.size()) {
                tickets.remove(place).withdraw(effects);
            }
        }
        waiters.remove(waiter);
        waiter.end(outcome, effects);
    }

    /** The store granted the lock to this process: to the first of its waiters. */
    private void begin(StoreGrant grant, DeferredActions effects) {
        StoreGrant before = turn;
        turn = grant;
        if (before != null) {
            before.lose("the store has granted it anew", effects);
        }
        Waiter first = first();
        waiters.remove(first);
        first.end(new AcquireResult.Held(grant.present()), effects);
        grant.begin();
        refuseWhoAskedOnce(effects);
        adjustTickets(Lane.BACKGROUND, effects);
    }

    /**
     * Which thread gives the turn back. Where somebody else asks in the same call, it is nobody's own, whose interrupt would
     * break it for the other. Without hand-offs somebody has a place in the store already, and asks if that is worth a try;
     * where others mostly come in between, it is left to the signal.
     */
    Lane laneOfReturn(Lane own) {
        if (waiters.isEmpty()) {
            return own;
        } else if (tickets.isEmpty()) {
            return Lane.BACKGROUND;
        }
        next.make(tickets.get(0));
        return next.toAsk() == null ? own : Lane.BACKGROUND;
    }

    /** The turn is over: whoever waits has to ask the store again. */
    void turnIsOver(StoreGrant grant, Lane lane, DeferredActions effects) {
        if (turn == grant) {
            turn = null;
            adjustTickets(lane, effects);
            PendingAcquire guessed = next.toAsk();
            if (guessed != null) {
                askAgain(guessed, effects);
            }
        }
    }

    /** Whom the turn goes to next, without the store being asked, if it may; null if nobody. */
    @Nullable
    Waiter takeNext(StoreGrant grant) {
        if (turn != grant || waiters.isEmpty() || !grant.mayBeHandedTo(first().terms())) {
            return null;
        }
        Waiter next = first();
        waiters.remove(next);
        return next;
    }

    /** Something may be overdue. */
    void tick() {
        change(effects -> {
            if (turn != null) {
                turn.tick(effects);
            }
        });
    }

    /** Ends who waits, and gives back what is held. */
    void close() {
        change(effects -> {
            endAll(waiter -> true, waiter -> new AcquireResult.Closed(), effects);
            if (turn != null) {
                turn.releaseAtClose(effects);
            }
            adjustTickets(Lane.BACKGROUND, effects);
        });
    }
}
