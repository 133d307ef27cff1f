package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Mutants that confuse acquisitions, by a part of the id or by the owner text. */
final class MutatedIdentity {

    private MutatedIdentity() {}

    static LockStore comparesHighHalves(LockStore store) {
        return identified(store, id -> new AcquisitionId(id.high(), 0));
    }

    static LockStore comparesLowHalves(LockStore store) {
        return identified(store, id -> new AcquisitionId(0, id.low()));
    }

    private static LockStore identified(LockStore store, UnaryOperator<AcquisitionId> part) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> steps, Duration timeout) {
                return super.execute(
                        steps.stream()
                                .map(step -> of(part.apply(step.id()), step))
                                .toList(),
                        timeout);
            }
        };
    }

    static LockCommand of(AcquisitionId id, LockCommand step) {
        if (step instanceof LockCommand.Acquire acquire) {
            return new LockCommand.Acquire(
                    step.name(), id, acquire.lease(), acquire.queue(), acquire.tokenFloor(), acquire.owner());
        } else if (step instanceof LockCommand.Renew renew) {
            return new LockCommand.Renew(step.name(), id, renew.lease());
        } else {
            LockCommand.Release release = (LockCommand.Release) step;
            return new LockCommand.Release(step.name(), id, release.minimumHold(), release.tombstone());
        }
    }

    /** Refuses owner texts of more than 255 characters. */
    static LockStore refusesLongOwners(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> steps, Duration timeout) {
                for (LockCommand step : steps) {
                    if (step instanceof LockCommand.Acquire acquire
                            && acquire.owner().length() > 255) {
                        throw new IllegalStateException("value too long for column owner");
                    }
                }
                return super.execute(steps, timeout);
            }
        };
    }

    /** Records the owner text of each id. */
    private abstract static class Owners extends MutatedSpace {
        private final Map<AcquisitionId, String> owners = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire step, LockRecord lock, Instant now) {
            owners.put(step.id(), step.owner());
            return super.acquire(step, lock, now);
        }

        boolean sameOwner(AcquisitionId one, AcquisitionId other) {
            return owners.containsKey(one) && owners.get(one).equals(owners.get(other));
        }

        /** The id of the holder, if it has the same owner text. */
        AcquisitionId holdersOr(AcquisitionId id, LockRecord lock) {
            return lock.lease != null && sameOwner(lock.lease.id(), id) ? lock.lease.id() : id;
        }
    }

    /** A release by any id with the same owner text ends the lease. */
    static class ReleasesByOwner extends Owners {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            return super.release((LockCommand.Release) MutatedIdentity.of(holdersOr(step.id(), lock), step), lock, now);
        }
    }

    /** A renewal by any id with the same owner text extends the lease. */
    static class RenewsByOwner extends Owners {
        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            return super.renew((LockCommand.Renew) MutatedIdentity.of(holdersOr(step.id(), lock), step), lock, now);
        }
    }

    /** The withdrawal of a waiter removes all waiters with its owner text. */
    static class WithdrawsByOwner extends Owners {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            for (AcquisitionId waiter : List.copyOf(lock.queue.ids())) {
                if (sameOwner(waiter, step.id())) {
                    lock.queue.withdraw(waiter);
                }
            }
            return super.release(step, lock, now);
        }
    }

    /** A tombstone is for all ids with the same owner text. */
    static class TombstonesByOwner extends Owners {
        private final Set<String> over = new HashSet<>();

        @Override
        LockReply acquire(LockCommand.Acquire step, LockRecord lock, Instant now) {
            return over.contains(step.owner()) ? new LockReply.Gone() : super.acquire(step, lock, now);
        }

        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            if (!step.tombstone().isZero()
                    && lock.lease != null
                    && lock.lease.id().equals(step.id())) {
                over.add(lock.lease.owner());
            }
            return super.release(step, lock, now);
        }
    }
}
