package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Mutants that are wrong about the end of a lease, and about what must be remembered of it. */
final class MutatedReleases {

    private MutatedReleases() {}

    static class IgnoresMinimum extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            return super.release(new Step.Release(step.name(), step.id(), Duration.ZERO, step.remember()), lock, now);
        }
    }

    /** The minimum counts from the release. */
    static class KeepsFromRelease extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            boolean holds = lock.lease != null && lock.lease.id().equals(step.id());
            Answer answer = super.release(step, lock, now);
            if (holds && !step.keep().isZero()) {
                lock.keptUntil = now.plus(step.keep());
            }
            return answer;
        }
    }

    static class KeepsForEver extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            Duration keep = step.keep().isZero() ? step.keep() : Duration.ofDays(1000);
            return super.release(new Step.Release(step.name(), step.id(), keep, step.remember()), lock, now);
        }
    }

    /** A release with a minimum hold only shortens the lease. */
    static class KeptIdLivesOn extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            MemoryLease lease = lock.lease;
            if (lease == null || !lease.id().equals(step.id()) || step.keep().isZero()) {
                return super.release(step, lock, now);
            }
            Instant until = lease.since().plus(step.keep());
            lock.lease = new MemoryLease(lease.id(), lease.owner(), lease.token(), lease.since(), step.keep(), until);
            expireLease(lock, now);
            return new Answer.Released(true);
        }
    }

    /** Whoever releases, releases the holder. */
    static class ByName extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            Step.Release own = lock.lease == null
                    ? step
                    : new Step.Release(step.name(), lock.lease.id(), step.keep(), step.remember());
            return super.release(own, lock, now);
        }
    }

    static class AlwaysWasHeld extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            super.release(step, lock, now);
            return new Answer.Released(true);
        }
    }

    static class ForgetsReleased extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            return super.release(new Step.Release(step.name(), step.id(), step.keep(), Duration.ZERO), lock, now);
        }
    }

    /** One column for the latest released id. */
    static class RemembersOne extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            lock.tombstones.clear();
            return super.release(step, lock, now);
        }
    }

    /** Who held nothing has nothing to be remembered for. */
    static class RemembersHoldersOnly extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            boolean holds = lock.lease != null && lock.lease.id().equals(step.id());
            Duration remember = holds ? step.remember() : Duration.ZERO;
            return super.release(new Step.Release(step.name(), step.id(), step.keep(), remember), lock, now);
        }
    }

    /** A release that need not be remembered undoes one that must. */
    static class SecondForgets extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            lock.tombstones.remove(step.id());
            return super.release(step, lock, now);
        }
    }

    /** Whoever was refused gets the lock sooner or later, asked or not, and is not asked whether it still wants it. */
    static class GrantsToWhoGaveUp extends MutatedSpace {
        private final Map<LockName, Step.Acquire> waiting = new HashMap<>();
        private final Set<AcquisitionId> unasked = new HashSet<>();

        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            unasked.remove(step.id());
            Answer answer = super.acquire(step, lock, now);
            if (answer instanceof Answer.Busy || answer instanceof Answer.Waiting) {
                waiting.put(step.name(), step);
            } else {
                waiting.remove(step.name());
            }
            return answer;
        }

        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            if (unasked.contains(step.id())) {
                return new Answer.Released(false);
            }
            Answer answer = super.release(step, lock, now);
            Step.Acquire next = waiting.get(step.name());
            if (answer.equals(new Answer.Released(true)) && next != null) {
                acquire(next, lock, now);
                unasked.add(next.id());
            }
            return answer;
        }
    }

    /** Every id is remembered for as long. */
    static class RemembersForAMoment extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            Duration most = Duration.ofMillis(500);
            Duration remember = step.remember().compareTo(most) < 0 ? step.remember() : most;
            return super.release(new Step.Release(step.name(), step.id(), step.keep(), remember), lock, now);
        }
    }

    /** The time that was asked for last is written down. */
    static class LatestMemoryCounts extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            if (!step.remember().isZero()) {
                lock.tombstones.remove(step.id());
            }
            return super.release(step, lock, now);
        }
    }

    /** Who asks for the second time has had its minimum. */
    static class SecondEndsTheMinimum extends MutatedSpace {
        private final Set<AcquisitionId> kept = new HashSet<>();

        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            if (!step.keep().isZero() && !kept.add(step.id())) {
                lock.keptUntil = Instant.MIN;
                lock.freeSince = now;
            }
            return super.release(step, lock, now);
        }
    }

    /** Whoever releases with a minimum hold keeps the lock, held or not. */
    static class StrangersKeep extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            boolean isFree = lock.lease == null && !now.isBefore(lock.keptUntil);
            Answer answer = super.release(step, lock, now);
            if (isFree && !step.keep().isZero()) {
                lock.keptUntil = now.plus(step.keep());
            }
            return answer;
        }
    }

    /** Looks at the holder first, and at what is remembered only if there is none. */
    static class BusyBeforeGone extends MutatedSpace {
        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            Answer answer = super.acquire(step, lock, now);
            return answer instanceof Answer.Gone && lock.lease != null ? new Answer.Busy(Duration.ofMillis(5)) : answer;
        }
    }

    /** A place counts as a lease. */
    static class WithdrawalWasHeld extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            boolean waits = lock.queue.ids().contains(step.id());
            Answer answer = super.release(step, lock, now);
            return waits ? new Answer.Released(true) : answer;
        }
    }

    /** Who has no place gives up the place of the first. */
    static class StrangersWithdraw extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            AcquisitionId first = lock.queue.first();
            boolean holds = lock.lease != null && lock.lease.id().equals(step.id());
            if (first != null && !holds && !lock.queue.ids().contains(step.id())) {
                lock.queue.withdraw(first);
            }
            return super.release(step, lock, now);
        }
    }
}
