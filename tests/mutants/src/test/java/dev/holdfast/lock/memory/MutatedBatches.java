package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;

/** Mutants that break what a single command, or a small batch, does not show. */
final class MutatedBatches {

    /** The most commands that are executed as one. */
    private static final int CHUNK = 100;

    private static final Duration SOON = Duration.ofMillis(5);

    private MutatedBatches() {}

    /** Executes the acquires of a large batch first. */
    static LockStore reordersLargeOnes(LockStore store) {
        LockStore reordering = MutatedStores.reordersBatches(store);
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return commands.size() > CHUNK
                        ? reordering.execute(commands, timeout)
                        : super.execute(commands, timeout);
            }
        };
    }

    /** Does the same with a batch of commands for shares. */
    static LockStore reordersThoseOfShares(LockStore store) {
        LockStore reordering = MutatedStores.reordersBatches(store);
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return commands.stream().allMatch(command -> command.share().isExclusive())
                        ? super.execute(commands, timeout)
                        : reordering.execute(commands, timeout);
            }
        };
    }

    /** A failed command fails its part of a large batch. */
    static LockStore failureHarmsLargeOnes(LockStore store) {
        LockStore harming = MutatedStores.badStepHarmsBatch(store);
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return commands.size() > CHUNK ? harming.execute(commands, timeout) : super.execute(commands, timeout);
            }
        };
    }

    /** Writes the places of all that queue in a batch at its end, also of those that have been withdrawn in it. */
    static LockStore keepsWithdrawnWaiters(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> replies = super.execute(commands, timeout);
                for (int at = 0; at < commands.size(); at++) {
                    LockCommand queued = commands.get(at);
                    boolean isWithdrawn = commands.subList(at, commands.size()).stream()
                            .anyMatch(later -> later instanceof LockCommand.Release
                                    && later.id().equals(queued.id()));
                    if (isWithdrawn && replies.get(at) instanceof LockReply.Queued) {
                        super.execute(List.of(queued), timeout);
                    }
                }
                return replies;
            }
        };
    }

    /** A share that is granted to the id that released it in the same batch has a new token in the reply only. */
    static LockStore keepsTheTokensOfReleasedShares(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                boolean isGrantedAgain = commands.size() == 2
                        && commands.get(0) instanceof LockCommand.Release release
                        && commands.get(1) instanceof LockCommand.Acquire acquire
                        && release.id().equals(acquire.id())
                        && !acquire.share().isExclusive();
                if (!isGrantedAgain) {
                    return super.execute(commands, timeout);
                }
                LockReply kept = super.execute(commands.subList(1, 2), timeout).get(0);
                return List.of(
                        new LockReply.Released(true),
                        kept instanceof LockReply.Granted granted
                                ? new LockReply.Granted(granted.token() + CHUNK, granted.remaining())
                                : kept);
            }
        };
    }

    /** Writes one tombstone of each id in a batch, that of its latest release. */
    static LockStore writesTheLatestTombstone(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                Map<AcquisitionId, Duration> latest = new HashMap<>();
                for (LockCommand command : commands) {
                    if (command instanceof LockCommand.Release release) {
                        latest.put(release.id(), release.tombstone());
                    }
                }
                return super.execute(
                        commands.stream()
                                .map(command -> command instanceof LockCommand.Release release
                                        ? MutatedSpace.withTombstone(
                                                release, latest.getOrDefault(release.id(), Duration.ZERO))
                                        : command)
                                .toList(),
                        timeout);
            }
        };
    }

    /** Executes equal commands of a batch once, and replies once. */
    static LockStore repliesOnceToEqualCommands(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(commands.stream().distinct().toList(), timeout);
            }
        };
    }

    /** Acquires the locks of a batch for the length of the first. */
    static LockStore acquiresForTheFirstLength(LockStore store) {
        return bindsTheFirst(
                store,
                LockCommand.Acquire.class,
                (first, command) -> new LockCommand.Acquire(
                        command.name(),
                        command.id(),
                        first.lease(),
                        command.queue(),
                        command.tokenFloor(),
                        command.owner(),
                        command.share()));
    }

    /** Renews the leases of a batch for the length of the first. */
    static LockStore renewsForTheFirstLength(LockStore store) {
        return bindsTheFirst(
                store,
                LockCommand.Renew.class,
                (first, command) ->
                        new LockCommand.Renew(command.name(), command.id(), first.lease(), command.share()));
    }

    /** Writes the tombstone of the first release of a batch for all of them. */
    static LockStore writesTheFirstTombstone(LockStore store) {
        return bindsTheFirst(
                store,
                LockCommand.Release.class,
                (first, command) -> MutatedSpace.withTombstone(command, first.tombstone()));
    }

    /** Keeps all locks of a batch of releases for the minimum hold of the first. */
    static LockStore keepsForTheFirstMinimum(LockStore store) {
        return bindsTheFirst(
                store,
                LockCommand.Release.class,
                (first, command) -> MutatedSpace.withMinimumHold(command, first.minimumHold()));
    }

    /** Gives a value of the first command of this kind in a batch to the others as well. */
    private static <C extends LockCommand> LockStore bindsTheFirst(
            LockStore store, Class<C> kind, BinaryOperator<C> bind) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                Optional<C> first = commands.stream()
                        .filter(kind::isInstance)
                        .map(kind::cast)
                        .findFirst();
                return super.execute(
                        commands.stream()
                                .map(command -> kind.isInstance(command)
                                        ? bind.apply(first.orElseThrow(), kind.cast(command))
                                        : command)
                                .toList(),
                        timeout);
            }
        };
    }

    static LockStore ignoresTheTimeout(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(commands, commands.size() > 1 ? Duration.ofDays(1) : timeout);
            }
        };
    }

    static LockStore repliesBusyInAnOutage(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> replies = super.execute(commands, timeout);
                return commands.size() > 1 && MemoryConnection.isBroken(replies)
                        ? Collections.nCopies(commands.size(), new LockReply.Busy(SOON))
                        : replies;
            }
        };
    }

    static LockStore clearsInterrupts(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                if (commands.size() > 1) {
                    Thread.interrupted();
                }
                return super.execute(commands, timeout);
            }
        };
    }

    /** Counts the milliseconds of a timeout in 31 bits. */
    static LockStore overflowsTimeouts(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                Math.toIntExact(timeout.toMillis());
                return super.execute(commands, timeout);
            }
        };
    }
}
