package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

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

    /** Executes equal commands of a batch once, and replies once. */
    static LockStore repliesOnceToEqualCommands(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(commands.stream().distinct().toList(), timeout);
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
