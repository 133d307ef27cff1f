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
        Answer release(Step.Release step, NameInUse name, Instant now) {
            return super.release(new Step.Release(step.name(), step.id(), Duration.ZERO, step.remember()), name, now);
        }
    }

    /** The minimum counts from the release. */
    static class KeepsFromRelease extends MutatedSpace {
        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            boolean holds = name.grant != null && name.grant.id().equals(step.id());
            Answer answer = super.release(step, name, now);
            if (holds && !step.keep().isZero()) {
                name.keptUntil = now.plus(step.keep());
            }
            return answer;
        }
    }

    static class KeepsForEver extends MutatedSpace {
        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            Duration keep = step.keep().isZero() ? step.keep() : Duration.ofDays(1000);
            return super.release(new Step.Release(step.name(), step.id(), keep, step.remember()), name, now);
        }
    }

    /** A release with a minimum hold only shortens the lease. */
    static class KeptIdLivesOn extends MutatedSpace {
        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            Grant grant = name.grant;
            if (grant == null || !grant.id().equals(step.id()) || step.keep().isZero()) {
                return super.release(step, name, now);
            }
            Instant until = grant.since().plus(step.keep());
            name.grant = new Grant(grant.id(), grant.owner(), grant.token(), grant.since(), step.keep(), until);
            endLease(name, now);
            return new Answer.Released(true);
        }
    }

    /** Whoever releases, releases the holder. */
    static class ByName extends MutatedSpace {
        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            Step.Release own = name.grant == null
                    ? step
                    : new Step.Release(step.name(), name.grant.id(), step.keep(), step.remember());
            return super.release(own, name, now);
        }
    }

    static class AlwaysWasHeld extends MutatedSpace {
        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            super.release(step, name, now);
            return new Answer.Released(true);
        }
    }

    static class ForgetsReleased extends MutatedSpace {
        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            return super.release(new Step.Release(step.name(), step.id(), step.keep(), Duration.ZERO), name, now);
        }
    }

    /** One column for the latest released id. */
    static class RemembersOne extends MutatedSpace {
        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            name.over.clear();
            return super.release(step, name, now);
        }
    }

    /** Who held nothing has nothing to be remembered for. */
    static class RemembersHoldersOnly extends MutatedSpace {
        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            boolean holds = name.grant != null && name.grant.id().equals(step.id());
            Duration remember = holds ? step.remember() : Duration.ZERO;
            return super.release(new Step.Release(step.name(), step.id(), step.keep(), remember), name, now);
        }
    }

    /** A release that need not be remembered undoes one that must. */
    static class SecondForgets extends MutatedSpace {
        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            name.over.remove(step.id());
            return super.release(step, name, now);
        }
    }

    /** Whoever was refused gets the lock sooner or later, asked or not, and is not asked whether it still wants it. */
    static class GrantsToWhoGaveUp extends MutatedSpace {
        private final Map<LockName, Step.Acquire> waiting = new HashMap<>();
        private final Set<AcquisitionId> unasked = new HashSet<>();

        @Override
        Answer acquire(Step.Acquire step, NameInUse name, Instant now) {
            unasked.remove(step.id());
            Answer answer = super.acquire(step, name, now);
            if (answer instanceof Answer.Busy || answer instanceof Answer.Waiting) {
                waiting.put(step.name(), step);
            } else {
                waiting.remove(step.name());
            }
            return answer;
        }

        @Override
        Answer release(Step.Release step, NameInUse name, Instant now) {
            if (unasked.contains(step.id())) {
                return new Answer.Released(false);
            }
            Answer answer = super.release(step, name, now);
            Step.Acquire next = waiting.get(step.name());
            if (answer.equals(new Answer.Released(true)) && next != null) {
                acquire(next, name, now);
                unasked.add(next.id());
            }
            return answer;
        }
    }
}
