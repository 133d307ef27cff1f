package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;

/**
 * A lease that this process holds, or that is kept for a minimum hold after its release. Immutable: a change replaces it in the
 * {@link LeaseTable}.
 *
 * @param since the instant of the grant
 * @param length the length of the lease, as requested
 * @param share the part of the lock that it has
 * @param deadline the end of the lease unless renewed
 * @param epoch the latest epoch in which a store confirmed it
 * @param isKept whether it was released and lasts for its minimum hold only
 * @param assertedIn the epoch into which an assertion was sent, whose arrival is unknown even if a later one is answered; 0 for none
 */
record HeldLease(
        LeaseKey key,
        long token,
        DualClockInstant since,
        Duration length,
        String owner,
        Share share,
        DualClockInstant deadline,
        long epoch,
        boolean isKept,
        long assertedIn) {

    /** An acquisition of one lock: an id stands for one lock only. */
    record LeaseKey(LockName name, AcquisitionId id) {

        static LeaseKey of(LockCommand command) {
            return new LeaseKey(command.name(), command.id());
        }
    }

    /** The clock that measured a deadline may be slower than the store's by one thousandth; this allows for more. */
    private static final int CLOCK_SLACK = 500;

    HeldLease confirmedIn(long confirmed) {
        return with(deadline, Math.max(epoch, confirmed), isKept, assertedIn);
    }

    HeldLease lastingUntil(DualClockInstant until) {
        return with(until, epoch, isKept, assertedIn);
    }

    /**
     * The lease while it is asserted for the time it has left now, by the clock that leaves less. From then on it ends then by
     * either clock, as its row does: one of the clocks may be set back later.
     */
    HeldLease beingAssertedIn(long into, DualClockInstant now) {
        DualClockInstant end = isKept ? deadline : deadline.sooner(now.plus(deadline.leftAt(now)));
        return with(end, epoch, isKept, into);
    }

    /** The lease after its release: the lock stays busy until this long after the grant. */
    HeldLease keptFor(Duration minimumHold) {
        return with(since.plus(minimumHold), epoch, true, assertedIn);
    }

    private HeldLease with(DualClockInstant until, long in, boolean kept, long asserted) {
        return new HeldLease(key, token, since, length, owner, share, until, in, kept, asserted);
    }

    boolean lasts(DualClockInstant now) {
        return deadline.isAfter(now);
    }

    /** The lease for transfer to another store, where it lasts at least until the holder's own deadline, by the clock of either side. */
    TransferredLease toTransfer(DualClockInstant now) {
        Duration left = deadline.leftAt(now);
        return new TransferredLease(
                key.name(),
                key.id(),
                token,
                since.until(now),
                left.plus(left.dividedBy(CLOCK_SLACK)),
                isKept,
                owner,
                share);
    }
}
