package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.util.function.Function;

/** Which safety rule the members of a simulation break. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are constructors
public enum BrokenRule {
    NONE(SafetyRules::new),

    /** Activates the fallback without a drain. */
    WITHOUT_DRAIN(state -> new SafetyRules(state) {
        @Override
        boolean mayActivateFallback(DualClockInstant now) {
            return true;
        }
    }),

    /** Accepts each grant, however late it arrives. */
    ACCEPTING_LATE_GRANTS(state -> new SafetyRules(state) {
        @Override
        boolean counts(AuthorityState routed, DualClockInstant now) {
            return true;
        }
    }),

    /** Takes its leases for confirmed in every epoch. */
    CONFIRMING_BY_ITSELF(state -> new SafetyRules(state) {
        @Override
        boolean mayBeTransferred(HeldLease held, long into, DualClockInstant now) {
            state.leases.put(held.confirmedIn(into));
            return false;
        }
    }),

    /** Takes the deadline of the reply that was taken last, and does not limit what the holder counts on by it. */
    MOVING_DEADLINES_BACK(state -> new SafetyRules(state) {
        @Override
        DualClockInstant deadline(HeldLease held, DualClockInstant confirmed, DualClockInstant now) {
            return confirmed;
        }

        @Override
        DualClockInstant end(HeldLease held, DualClockInstant endOfEpoch) {
            return endOfEpoch;
        }
    }),

    /** The same, but the holder learns of it. */
    SHORTENING_LEASES(state -> new SafetyRules(state) {
        @Override
        DualClockInstant deadline(HeldLease held, DualClockInstant confirmed, DualClockInstant now) {
            return confirmed;
        }
    }),

    /** Transfers nothing. */
    WITHOUT_TRANSFER(state -> new SafetyRules(state) {
        @Override
        boolean mayBeTransferred(HeldLease held, long into, DualClockInstant now) {
            return false;
        }
    }),

    /** Transfers leases only. */
    WITHOUT_MINIMUM_HOLDS(state -> new SafetyRules(state) {
        @Override
        boolean mayBeTransferred(HeldLease held, long into, DualClockInstant now) {
            return !held.isKept() && super.mayBeTransferred(held, into, now);
        }
    }),

    /** Transfers a minimum hold only under an authority lease, as if it had a holder. */
    TRANSFERRING_MINIMUM_HOLDS_AS_LEASES(state -> new SafetyRules(state) {
        @Override
        boolean mayBeTransferred(HeldLease held, long into, DualClockInstant now) {
            AuthorityLease.Snapshot known = state.lease.snapshot();
            DualClockInstant end = known == null ? null : known.endOf(held.epoch());
            return end != null && end.isAfter(now) && super.mayBeTransferred(held, into, now);
        }
    });

    private final Function<MemberState, SafetyRules> rules;

    BrokenRule(Function<MemberState, SafetyRules> rules) {
        this.rules = rules;
    }

    /** A member that breaks this rule. */
    public Member newMember(AcquisitionId id, Timing timing, Member.Listener listener) {
        return new Member(id, "simulated", timing, listener, rules);
    }

    /** How many leases and ids a member knows. */
    public static int known(Member member) {
        return member.known();
    }
}
