package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.AcquisitionId;

/** Members for a simulation: one that keeps the rules, and some that do not. */
public final class Members {

    private Members() {}

    public static Member sound(AcquisitionId id, Timing timing, Events events) {
        return new Member(id, "simulated", timing, events);
    }

    /** Opens the fallback as soon as it may be asked to. */
    public static Member impatient(AcquisitionId id, Timing timing, Events events) {
        return new Member(id, "simulated", timing, events, state -> new Rules(state) {
            @Override
            boolean mayOpen(Moment now) {
                return true;
            }
        });
    }

    /** Takes every grant, however long it was on its way. */
    public static Member credulous(AcquisitionId id, Timing timing, Events events) {
        return new Member(id, "simulated", timing, events, state -> new Rules(state) {
            @Override
            boolean counts(Route route, Moment now) {
                return true;
            }
        });
    }

    /** Takes what it holds for confirmed, whatever the epoch. */
    public static Member selfAssured(AcquisitionId id, Timing timing, Events events) {
        return new Member(id, "simulated", timing, events, state -> new Rules(state) {
            @Override
            boolean mayBeCarried(Held held, long into, Moment now) {
                held.confirmed(into);
                return false;
            }
        });
    }

    /** Carries nothing. */
    public static Member careless(AcquisitionId id, Timing timing, Events events) {
        return new Member(id, "simulated", timing, events, state -> new Rules(state) {
            @Override
            boolean mayBeCarried(Held held, long into, Moment now) {
                return false;
            }
        });
    }

    /** Carries leases only. */
    public static Member hasty(AcquisitionId id, Timing timing, Events events) {
        return new Member(id, "simulated", timing, events, state -> new Rules(state) {
            @Override
            boolean mayBeCarried(Held held, long into, Moment now) {
                return !held.isKept() && super.mayBeCarried(held, into, now);
            }
        });
    }

    /** Carries a minimum hold only under a regime lease, as if somebody held it. */
    public static Member forgetful(AcquisitionId id, Timing timing, Events events) {
        return new Member(id, "simulated", timing, events, state -> new Rules(state) {
            @Override
            boolean mayBeCarried(Held held, long into, Moment now) {
                Moment end = state.lease.endOf(held.epoch());
                return end != null && end.isAfter(now) && super.mayBeCarried(held, into, now);
            }
        });
    }

    /** How many leases and ids it knows. */
    public static int known(Member member) {
        return member.known();
    }
}
