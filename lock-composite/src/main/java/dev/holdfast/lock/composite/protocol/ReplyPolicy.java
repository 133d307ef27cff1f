package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.composite.protocol.HeldLease.LeaseKey;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;

/** Judges the reply of a store when it arrives, as the authority state may have changed since the command was sent. */
final class ReplyPolicy {

    private final MemberState state;
    private final SafetyRules rules;
    private final RoutingPolicy routing;

    ReplyPolicy(MemberState state, SafetyRules rules, RoutingPolicy routing) {
        this.state = state;
        this.rules = rules;
        this.routing = routing;
    }

    /**
     * The reply for the engine.
     *
     * @param at the place of the command in the batch
     * @param route the route that it took
     * @param sent when it was sent
     */
    LockReply settle(
            RoutedBatch batch, int at, Route.Send route, LockReply reply, DualClockInstant sent, DualClockInstant now) {
        LockCommand command = batch.commands().get(at);
        AuthorityState routed = batch.authorityState();
        noteHealth(routed, reply, sent, now);
        if (command instanceof LockCommand.Release release) {
            endLeaseGrantedMeanwhile(release, now);
        }
        if (reply instanceof LockReply.Unavailable) {
            if (command instanceof LockCommand.Release) {
                state.leases.releaseRefused(LeaseKey.of(command));
            }
            return reply;
        } else if (command instanceof LockCommand.Acquire acquire) {
            return acquired(batch, at, acquire, reply, sent, now);
        } else if (command instanceof LockCommand.Renew) {
            return renewed(LeaseKey.of(command), routed, reply, sent, now);
        }
        state.leases.releaseAnswered(LeaseKey.of(command));
        return route.wasHeldHere() ? new LockReply.Released(true) : reply;
    }

    /** Ends the lease of a grant to an earlier command of the same batch, which was not known yet when the release was routed. */
    private void endLeaseGrantedMeanwhile(LockCommand.Release command, DualClockInstant now) {
        HeldLease held = state.leases.get(LeaseKey.of(command));
        if (held != null && !held.isKept()) {
            boolean isValid = state.isValid(held, now);
            if (isValid) {
                state.leases.releasedWhileValid(held);
            }
            routing.endLease(held, isValid, command, now);
        }
    }

    private void noteHealth(AuthorityState routed, LockReply reply, DualClockInstant sent, DualClockInstant now) {
        Throwable cause = reply instanceof LockReply.Unavailable unavailable ? unavailable.cause() : null;
        if (cause instanceof StaleTermException) {
            state.mustRead = true;
        }
        if (routed.phase() == FailoverPhase.PRIMARY && state.isIn(routed.epoch(), FailoverPhase.PRIMARY)) {
            if (cause == null) {
                state.detector.answered(sent);
            } else if (cause instanceof StaleTermException stale && stale.isElsewhere()) {
                state.detector.foundElsewhere(sent, now, String.valueOf(cause.getMessage()));
            } else if (cause instanceof StaleTermException) {
                state.detector.accuse(routed.epoch(), String.valueOf(cause.getMessage()));
            } else {
                state.detector.failed(sent, now, cause);
            }
        }
    }

    private LockReply acquired(
            RoutedBatch batch,
            int at,
            LockCommand.Acquire command,
            LockReply reply,
            DualClockInstant sent,
            DualClockInstant now) {
        AuthorityState routed = batch.authorityState();
        LeaseKey key = LeaseKey.of(command);
        if (!(reply instanceof LockReply.Granted granted) || state.leases.isBuried(key, now)) {
            return reply; // an acquisition abandoned meanwhile holds nothing here
        } else if (!rules.counts(routed, now)) {
            if (batch.releasesAfter(at)) {
                return new LockReply.Gone(); // repeated by itself, it would hold what its release no longer finds
            }
            return !state.lease.isValid(now)
                    ? routing.authorityUnknown()
                    : new LockReply.Unavailable(new StaleTermException(
                            "the grant arrived after a transition, and its store may no longer grant"));
        }
        HeldLease before = state.leases.get(key);
        DualClockInstant deadline = sent.endOf(granted.remaining());
        if (before != null && before.isKept() && before.token() >= granted.token()) {
            // A release crossed it, or follows it in the batch; only a newer grant says that the minimum hold has
            // ended.
            return batch.releasesAfter(at) ? granted : new LockReply.Gone();
        } else if (before != null && before.token() > granted.token()) { // a later attempt crossed it
            return new LockReply.Granted(
                    before.token(), Durations.max(before.deadline().leftAt(sent), Duration.ZERO));
        } else if (before != null && before.token() == granted.token()) {
            state.leases.put(
                    before.lastingUntil(rules.deadline(before, deadline, now)).confirmedIn(routed.epoch()));
        } else {
            Duration age = command.lease().minus(granted.remaining()); // positive if an earlier attempt was granted
            DualClockInstant since = sent.plus(Durations.max(age, Duration.ZERO).negated());
            state.leases.put(new HeldLease(
                    key,
                    granted.token(),
                    since,
                    command.lease(),
                    command.owner(),
                    command.share(),
                    deadline,
                    routed.epoch(),
                    false,
                    0));
        }
        return granted;
    }

    private LockReply renewed(
            LeaseKey key, AuthorityState routed, LockReply reply, DualClockInstant sent, DualClockInstant now) {
        HeldLease held = state.leases.get(key);
        if (held == null || held.isKept()) {
            return reply;
        } else if (!(reply instanceof LockReply.Granted granted) || granted.token() != held.token()) {
            if (!rules.endsLease(held, routed.epoch())) {
                return new LockReply.Unavailable(new StaleTermException("the reply is of epoch " + routed.epoch()
                        + ", and the lease was confirmed in epoch " + held.epoch()));
            }
            state.ended(held, now);
            return reply;
        } else {
            held = state.confirmed(held, routed.epoch(), now);
            held = rules.prolongs(routed.epoch())
                    ? held.lastingUntil(rules.deadline(held, sent.endOf(granted.remaining()), now))
                    : held;
            state.leases.put(held);
            Duration left = held.deadline().leftAt(sent);
            return left.compareTo(granted.remaining()) < 0
                    ? new LockReply.Granted(granted.token(), Durations.max(left, Duration.ZERO))
                    : granted;
        }
    }
}
