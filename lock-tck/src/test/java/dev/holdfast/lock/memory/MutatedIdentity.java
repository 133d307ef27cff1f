package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Mutants that take one acquisition for another: by a part of its id, or by what its owner says. */
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
            public List<Answer> apply(List<Step> steps, Duration timeout) {
                return super.apply(
                        steps.stream()
                                .map(step -> of(part.apply(step.id()), step))
                                .toList(),
                        timeout);
            }
        };
    }

    static Step of(AcquisitionId id, Step step) {
        if (step instanceof Step.Acquire acquire) {
            return new Step.Acquire(
                    step.name(), id, acquire.length(), acquire.queue(), acquire.above(), acquire.owner());
        } else if (step instanceof Step.Renew renew) {
            return new Step.Renew(step.name(), id, renew.length());
        } else {
            Step.Release release = (Step.Release) step;
            return new Step.Release(step.name(), id, release.keep(), release.remember());
        }
    }

    /** A column of 255 characters, and an error if that is not enough. */
    static LockStore refusesLongOwners(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<Answer> apply(List<Step> steps, Duration timeout) {
                for (Step step : steps) {
                    if (step instanceof Step.Acquire acquire && acquire.owner().length() > 255) {
                        throw new IllegalStateException("value too long for column owner");
                    }
                }
                return super.apply(steps, timeout);
            }
        };
    }

    /** Knows what the owner of each id says. */
    private abstract static class Owners extends MutatedSpace {
        private final Map<AcquisitionId, String> owners = new HashMap<>();

        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            owners.put(step.id(), step.owner());
            return super.acquire(step, lock, now);
        }

        boolean sameOwner(AcquisitionId one, AcquisitionId other) {
            return owners.containsKey(one) && owners.get(one).equals(owners.get(other));
        }

        /** The holder's, if the owner says the same. */
        AcquisitionId holdersOr(AcquisitionId id, LockRecord lock) {
            return lock.lease != null && sameOwner(lock.lease.id(), id) ? lock.lease.id() : id;
        }
    }

    /** The lease goes when its owner releases, by whatever id. */
    static class ReleasesByOwner extends Owners {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            return super.release((Step.Release) MutatedIdentity.of(holdersOr(step.id(), lock), step), lock, now);
        }
    }

    /** The lease is renewed by its owner, by whatever id. */
    static class RenewsByOwner extends Owners {
        @Override
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            return super.renew((Step.Renew) MutatedIdentity.of(holdersOr(step.id(), lock), step), lock, now);
        }
    }

    /** When one waiter of an owner leaves, they all do. */
    static class WithdrawsByOwner extends Owners {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            for (AcquisitionId waiter : List.copyOf(lock.queue.ids())) {
                if (sameOwner(waiter, step.id())) {
                    lock.queue.withdraw(waiter);
                }
            }
            return super.release(step, lock, now);
        }
    }

    /** When one id of an owner is over, they all are. */
    static class RemembersOwners extends Owners {
        private final Set<String> over = new HashSet<>();

        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            return over.contains(step.owner()) ? new Answer.Gone() : super.acquire(step, lock, now);
        }

        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            if (!step.remember().isZero()
                    && lock.lease != null
                    && lock.lease.id().equals(step.id())) {
                over.add(lock.lease.owner());
            }
            return super.release(step, lock, now);
        }
    }
}
