package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.protocol.HeldLease.LeaseKey;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.GrantsSuspendedException;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;

/** Decides where a command goes in the authority state that is known. */
final class RoutingPolicy {

    private final MemberState state;

    RoutingPolicy(MemberState state) {
        this.state = state;
    }

    Route route(LockCommand command, DualClockInstant now) {
        AuthorityState current = state.authorityState();
        if (current == null) {
            return new Route.Immediate(authorityUnknown());
        } else if (command instanceof LockCommand.Release release) {
            return release(release, current, now);
        } else if (command instanceof LockCommand.Acquire && state.leases.isBuried(LeaseKey.of(command), now)) {
            return new Route.Immediate(new LockReply.Gone());
        } else if (!state.lease.isValid(now)) {
            return new Route.Immediate(authorityUnknown());
        }
        return switch (current.phase()) {
            case PRIMARY, FALLBACK -> new Route.Send(command, false);
            case DRAINING, FAILING_BACK ->
                command instanceof LockCommand.Acquire acquire
                        ? acquireLater(acquire, current, now)
                        : renewLater((LockCommand.Renew) command, current);
        };
    }

    /**
     * Routes an acquire while no store grants. A failback is over soon. While grants drain, no store can tell whether the lock is free,
     * which is not the same as a place in a queue: at the end of its wait the caller must not be told that the lock was busy.
     */
    private Route acquireLater(LockCommand.Acquire command, AuthorityState current, DualClockInstant now) {
        HeldLease held = state.leases.get(LeaseKey.of(command));
        if (held != null && !held.isKept() && state.isValid(held, now)) {
            return new Route.Immediate(
                    new LockReply.Granted(held.token(), held.deadline().leftAt(now)));
        } else if (current.phase() == FailoverPhase.FAILING_BACK) {
            return untilTransition(current);
        }
        return new Route.Immediate(new LockReply.Unavailable(
                new GrantsSuspendedException(noGrants(current), state.timing.readInterval())));
    }

    private Route renewLater(LockCommand.Renew command, AuthorityState current) {
        if (current.phase() == FailoverPhase.FAILING_BACK) {
            return untilTransition(current);
        }
        HeldLease held = state.leases.get(LeaseKey.of(command));
        return held == null || held.epoch() == current.epoch()
                ? new Route.Send(command, false)
                : new Route.Immediate(new LockReply.Unavailable(
                        new LockUnavailableException("the lease is about to be transferred to the fallback", null)));
    }

    /** From here on this process does not hold the lock, even if the call fails: the lease is neither asserted nor confirmed. */
    private Route release(LockCommand.Release command, AuthorityState current, DualClockInstant now) {
        LeaseKey key = LeaseKey.of(command);
        if (!command.tombstone().isZero()) {
            state.leases.bury(key, now, command.tombstone());
        }
        HeldLease held = state.leases.get(key);
        if (held == null || held.isKept()) {
            return send(command, current, state.leases.isReleaseRefused(key), now);
        }
        boolean isValid = state.isValid(held, now);
        boolean isTransferDue = current.phase() == FailoverPhase.DRAINING && held.epoch() != current.epoch();
        state.buryIfAsserted(held, now);
        boolean isUnknownToAuthority = isTransferDue && !state.mayBeAsserted(held);
        if (isValid && !isUnknownToAuthority) {
            state.leases.releasedWhileValid(held);
        }
        endLease(held, isValid, command, now);
        return isUnknownToAuthority
                ? new Route.Immediate(new LockReply.Released(isValid))
                : send(command, current, isTransferDue && isValid, now);
    }

    /**
     * Ends a lease by its release. A lease that was lost before has no minimum hold: the lock may have been granted and released
     * since.
     */
    void endLease(HeldLease held, boolean isValid, LockCommand.Release command, DualClockInstant now) {
        if (isValid && held.since().plus(command.minimumHold()).isAfter(now)) {
            state.leases.put(held.keptFor(command.minimumHold()));
        } else {
            state.leases.remove(held.key());
        }
    }

    private Route send(LockCommand.Release command, AuthorityState current, boolean wasHeldHere, DualClockInstant now) {
        return switch (current.phase()) {
            case FAILING_BACK -> {
                state.leases.releaseRefused(LeaseKey.of(command));
                yield untilTransition(current);
            }
            case DRAINING -> new Route.Send(withTombstone(command, now), wasHeldHere);
            case FALLBACK -> new Route.Send(command, wasHeldHere);
            case PRIMARY -> new Route.Send(command, false);
        };
    }

    /** Adds a tombstone for the authority, so that it refuses an assertion that arrives after the release. */
    private LockCommand withTombstone(LockCommand.Release command, DualClockInstant now) {
        Duration buried = state.leases.buriedFor(LeaseKey.of(command), now);
        return new LockCommand.Release(
                command.name(),
                command.id(),
                command.minimumHold(),
                Durations.max(buried, command.tombstone()),
                command.share());
    }

    /** The command is routed again as soon as another authority state is known. */
    private static Route untilTransition(AuthorityState current) {
        return new Route.Immediate(new LockReply.Unavailable(new StaleTermException(noGrants(current))));
    }

    static String noGrants(AuthorityState current) {
        return "no store grants locks during the transition to epoch " + current.epoch() + " (" + current.cause()
                + "); retry shortly";
    }

    /** If the process stood still, it reads the state at once, and the command waits for that read. If it is cut off, the reply says so. */
    LockReply authorityUnknown() {
        if (state.isCutOff()) {
            return new LockReply.Unavailable(
                    new LockUnavailableException("which store grants is unknown: " + state.cutOffCause, null));
        }
        state.mustRead = true;
        return new LockReply.Unavailable(new AuthorityUnknownException());
    }

    /**
     * The store that grants is unknown, as this process stood still for longer than an authority lease; it is about to read the state. No
     * command was left in doubt: no store was called, or the store has replied. The {@code why} of an {@link LockReply.Unavailable}.
     */
    static final class AuthorityUnknownException extends RuntimeException {

        private static final long serialVersionUID = 1;

        AuthorityUnknownException() {
            super("which store grants is unknown: this process did not read it in time", null, false, false);
        }
    }
}
