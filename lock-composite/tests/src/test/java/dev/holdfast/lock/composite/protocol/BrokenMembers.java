package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import java.util.function.Function;

/** Members for a simulation, each of which breaks one safety rule. */
public final class BrokenMembers {

    private BrokenMembers() {}

    private static Member member(
            AcquisitionId id, Timing timing, Member.Listener listener, Function<MemberState, SafetyRules> rules) {
        return new Member(id, "simulated", timing, listener, rules);
    }

    /** Activates the fallback without a drain. */
    public static Member withoutDrain(AcquisitionId id, Timing timing, Member.Listener listener) {
        return member(id, timing, listener, state -> new SafetyRules(state) {
            @Override
            boolean mayActivateFallback(DualClockInstant now) {
                return true;
            }
        });
    }

    /** Accepts each grant, however late it arrives. */
    public static Member acceptingLateGrants(AcquisitionId id, Timing timing, Member.Listener listener) {
        return member(id, timing, listener, state -> new SafetyRules(state) {
            @Override
            boolean counts(AuthorityState routed, DualClockInstant now) {
                return true;
            }
        });
    }

    /** Takes its leases for confirmed in every epoch. */
    public static Member confirmingByItself(AcquisitionId id, Timing timing, Member.Listener listener) {
        return member(id, timing, listener, state -> new SafetyRules(state) {
            @Override
            boolean mayBeTransferred(HeldLease held, long into, DualClockInstant now) {
                state.leases.put(held.confirmedIn(into));
                return false;
            }
        });
    }

    /** Transfers nothing. */
    public static Member withoutTransfer(AcquisitionId id, Timing timing, Member.Listener listener) {
        return member(id, timing, listener, state -> new SafetyRules(state) {
            @Override
            boolean mayBeTransferred(HeldLease held, long into, DualClockInstant now) {
                return false;
            }
        });
    }

    /** Transfers leases only. */
    public static Member withoutMinimumHolds(AcquisitionId id, Timing timing, Member.Listener listener) {
        return member(id, timing, listener, state -> new SafetyRules(state) {
            @Override
            boolean mayBeTransferred(HeldLease held, long into, DualClockInstant now) {
                return !held.isKept() && super.mayBeTransferred(held, into, now);
            }
        });
    }

    /** Transfers a minimum hold only under an authority lease, as if it had a holder. */
    public static Member transferringMinimumHoldsAsLeases(AcquisitionId id, Timing timing, Member.Listener listener) {
        return member(id, timing, listener, state -> new SafetyRules(state) {
            @Override
            boolean mayBeTransferred(HeldLease held, long into, DualClockInstant now) {
                AuthorityLease.Snapshot known = state.lease.snapshot();
                DualClockInstant end = known == null ? null : known.endOf(held.epoch());
                return end != null && end.isAfter(now) && super.mayBeTransferred(held, into, now);
            }
        });
    }

    /** How many leases and ids it knows. */
    public static int known(Member member) {
        return member.known();
    }
}
