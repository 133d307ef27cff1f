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
import java.util.function.Predicate;
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
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(
                        commands.stream()
                                .map(command -> of(part.apply(command.id()), command))
                                .toList(),
                        timeout);
            }
        };
    }

    static LockCommand of(AcquisitionId id, LockCommand command) {
        if (command instanceof LockCommand.Acquire acquire) {
            return new LockCommand.Acquire(
                    command.name(),
                    id,
                    acquire.lease(),
                    acquire.queue(),
                    acquire.tokenFloor(),
                    acquire.owner(),
                    acquire.share());
        } else if (command instanceof LockCommand.Renew renew) {
            return new LockCommand.Renew(command.name(), id, renew.lease(), renew.share());
        } else {
            LockCommand.Release release = (LockCommand.Release) command;
            return new LockCommand.Release(
                    command.name(), id, release.minimumHold(), release.tombstone(), release.share());
        }
    }

    /** Refuses owner texts of more than 255 characters. */
    static LockStore refusesLongOwners(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                for (LockCommand command : commands) {
                    if (command instanceof LockCommand.Acquire acquire
                            && acquire.owner().length() > 255) {
                        throw new IllegalStateException("value too long for column owner");
                    }
                }
                return super.execute(commands, timeout);
            }
        };
    }

    /** Records the owner text of each id. */
    private abstract static class Owners extends MutatedSpace {
        private final Map<AcquisitionId, String> owners = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            owners.put(command.id(), command.owner());
            return super.acquire(command, lock, now);
        }

        boolean sameOwner(AcquisitionId one, AcquisitionId other) {
            return owners.containsKey(one) && owners.get(one).equals(owners.get(other));
        }

        /** The id of the holder, if it has the same owner text. */
        AcquisitionId holdersOr(AcquisitionId id, LockRecord lock) {
            return lease(lock) != null && sameOwner(lease(lock).id(), id)
                    ? lease(lock).id()
                    : id;
        }
    }

    /** A release by any id with the same owner text ends the lease. */
    static class ReleasesByOwner extends Owners {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            return super.release(
                    (LockCommand.Release) MutatedIdentity.of(holdersOr(command.id(), lock), command), lock, now);
        }
    }

    /** Looks for the id in a text that has that of the owner in it as well. */
    static class FindsIdsInOwners extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean found = lease(lock) != null
                    && lease(lock).owner().contains(command.id().toString());
            return super.release(
                    found ? (LockCommand.Release) MutatedIdentity.of(lease(lock).id(), command) : command, lock, now);
        }
    }

    /** A renewal by any id with the same owner text extends the lease. */
    static class RenewsByOwner extends Owners {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            return super.renew(
                    (LockCommand.Renew) MutatedIdentity.of(holdersOr(command.id(), lock), command), lock, now);
        }
    }

    /** The withdrawal of a waiter removes all waiters with its owner text. */
    static class WithdrawsByOwner extends Owners {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            for (AcquisitionId waiter : List.copyOf(lock.queue.ids())) {
                if (sameOwner(waiter, command.id())) {
                    lock.queue.withdraw(waiter);
                }
            }
            return super.release(command, lock, now);
        }
    }

    /** A tombstone is for all ids with the same owner text. */
    static class TombstonesByOwner extends Owners {
        private final Set<String> over = new HashSet<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            return over.contains(command.owner()) ? new LockReply.Gone() : super.acquire(command, lock, now);
        }

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            if (!command.tombstone().isZero()
                    && lease(lock) != null
                    && lease(lock).id().equals(command.id())) {
                over.add(lease(lock).owner());
            }
            return super.release(command, lock, now);
        }
    }

    /** Fails on an owner text that no SQL text holds. */
    static LockStore failsOnNulInOwners(LockStore store) {
        return failingOn(store, owner -> owner.indexOf(0) >= 0);
    }

    /** Fails on an owner text that no UTF-8 holds. */
    static LockStore failsOnLoneSurrogatesInOwners(LockStore store) {
        return failingOn(
                store,
                owner -> owner.codePoints()
                        .anyMatch(codePoint ->
                                codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE));
    }

    private static LockStore failingOn(LockStore store, Predicate<String> owner) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                for (LockCommand command : commands) {
                    if (command instanceof LockCommand.Acquire acquire && owner.test(acquire.owner())) {
                        throw new IllegalStateException("invalid byte sequence in column owner");
                    }
                }
                return super.execute(commands, timeout);
            }
        };
    }
}
