package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.composite.protocol.HeldLease.LeaseKey;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;
import java.time.Duration;

/** Decides where a command goes in the authority state that is known. */
final class RoutingPolicy {

    private final MemberState state;

    RoutingPolicy(MemberState state) {
        this.state = state;
    }

    Route route(Step command, DualClockInstant now) {
        Regime current = state.authorityState();
        if (current == null) {
            return new Route.Immediate(authorityUnknown());
        } else if (command instanceof Step.Release release) {
            return release(release, current, now);
        } else if (command instanceof Step.Acquire && state.leases.isBuried(LeaseKey.of(command), now)) {
            return new Route.Immediate(new Answer.Gone());
        } else if (!state.lease.isValid(now)) {
            return new Route.Immediate(authorityUnknown());
        }
        return switch (current.mode()) {
            case PRIMARY, FALLBACK -> new Route.Send(command, false);
            case DRAIN, PREPARE ->
                command instanceof Step.Acquire acquire
                        ? acquireLater(acquire, current, now)
                        : renewLater((Step.Renew) command, current);
        };
    }

    /**
     * While no store grants. A failback is over soon. While grants drain, an acquire that may queue waits; one that may not must
     * learn that no store can tell whether the lock is free.
     */
    private Route acquireLater(Step.Acquire command, Regime current, DualClockInstant now) {
        HeldLease held = state.leases.get(LeaseKey.of(command));
        if (held != null && !held.isKept() && state.isValid(held, now)) {
            return new Route.Immediate(
                    new Answer.Granted(held.token(), held.deadline().after(now)));
        } else if (current.mode() == Mode.PREPARE) {
            return untilTransition(current);
        }
        return new Route.Immediate(
                command.queue()
                        ? new Answer.Waiting(state.timing.readInterval())
                        : new Answer.Unavailable(new LockUnavailableException(noGrants(current), null)));
    }

    private Route renewLater(Step.Renew command, Regime current) {
        if (current.mode() == Mode.PREPARE) {
            return untilTransition(current);
        }
        HeldLease held = state.leases.get(LeaseKey.of(command));
        return held == null || held.epoch() == current.epoch()
                ? new Route.Send(command, false)
                : new Route.Immediate(new Answer.Unavailable(
                        new LockUnavailableException("the lease is about to be transferred to the fallback", null)));
    }

    /** From its release on this process does not hold the lock, whatever becomes of the call: it is not asserted or confirmed. */
    private Route release(Step.Release command, Regime current, DualClockInstant now) {
        LeaseKey key = LeaseKey.of(command);
        if (!command.remember().isZero()) {
            state.leases.bury(key, now, command.remember());
        }
        HeldLease held = state.leases.get(key);
        if (held == null || held.isKept()) {
            return send(command, current, state.leases.isReleaseRefused(key), now);
        }
        boolean isValid = state.isValid(held, now);
        boolean isTransferDue = current.mode() == Mode.DRAIN && held.epoch() != current.epoch();
        boolean mayBeAsserted = current.mode() == Mode.DRAIN && held.assertedIn() == current.epoch();
        if (mayBeAsserted) {
            state.leases.bury(key, now, longer(held.length(), state.timing.drain()));
        }
        boolean isUnknownToAuthority = isTransferDue && !mayBeAsserted;
        if (isValid && !isUnknownToAuthority) {
            state.leases.releasedWhileValid(held);
        }
        endLease(held, isValid, command, now);
        return isUnknownToAuthority
                ? new Route.Immediate(new Answer.Released(isValid))
                : send(command, current, isTransferDue && isValid, now);
    }

    /**
     * Ends a lease by its release. A lease that was lost before has no minimum hold: the lock may have been granted and released
     * since.
     */
    void endLease(HeldLease held, boolean isValid, Step.Release command, DualClockInstant now) {
        if (isValid && held.since().plus(command.keep()).isAfter(now)) {
            state.leases.put(held.keptFor(command.keep()));
        } else {
            state.leases.remove(held.key());
        }
    }

    private Route send(Step.Release command, Regime current, boolean wasHeldHere, DualClockInstant now) {
        return switch (current.mode()) {
            case PREPARE -> {
                state.leases.releaseRefused(LeaseKey.of(command));
                yield untilTransition(current);
            }
            case DRAIN -> new Route.Send(withTombstone(command, now), wasHeldHere);
            case FALLBACK -> new Route.Send(command, wasHeldHere);
            case PRIMARY -> new Route.Send(command, false);
        };
    }

    /** The authority keeps a tombstone, so that it refuses an assertion that arrives after the release. */
    private Step withTombstone(Step.Release command, DualClockInstant now) {
        Duration buried = state.leases.buriedFor(LeaseKey.of(command), now);
        return new Step.Release(command.name(), command.id(), command.keep(), longer(buried, command.remember()));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** The command is routed again as soon as another authority state is known. */
    private static Route untilTransition(Regime current) {
        return new Route.Immediate(new Answer.Unavailable(new DeposedException(noGrants(current))));
    }

    private static String noGrants(Regime current) {
        return "no store grants locks during the transition to epoch " + current.epoch() + " (" + current.cause()
                + "); retry shortly";
    }

    /** A process that stood still reads the state at once, and the command waits for it; a process that is cut off says so. */
    Answer authorityUnknown() {
        if (state.isCutOff) {
            return new Answer.Unavailable(new LockUnavailableException(
                    "which store grants is unknown: the authority of the composite does not answer; check its database",
                    null));
        }
        state.mustRead = true;
        return new Answer.Unavailable(new AuthorityUnknownException());
    }

    /**
     * Which store grants is not known, as this process stood still for longer than an authority lease; it is about to read it. No
     * command was left in doubt: no store was called, or the store has replied. The {@code why} of an {@link Answer.Unavailable}.
     */
    static final class AuthorityUnknownException extends RuntimeException {

        private static final long serialVersionUID = 1;

        AuthorityUnknownException() {
            super("which store grants is unknown: this process did not read it in time", null, false, false);
        }
    }
}
