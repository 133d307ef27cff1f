package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Mutants whose commands are not atomic, so that two of one id at the same time show it. */
final class MutatedRaces {

    private MutatedRaces() {}

    /** One attempt for a lock. */
    private record Attempt(LockName name, AcquisitionId id) {
        static Attempt of(LockCommand command) {
            return new Attempt(command.name(), command.id());
        }
    }

    /** A space whose commands come in two steps, with a pause in between that ends when the attempt is released. */
    abstract static class InTwoSteps extends MutatedSpace {
        private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

        private final Set<Attempt> released = ConcurrentHashMap.newKeySet();

        /** Executes the release, and ends the pauses of its attempt. */
        final LockReply release(LockCommand.Release release) {
            LockReply reply = super.execute(release);
            released.add(Attempt.of(release));
            return reply;
        }

        /** Gives a release that is on its way the time to arrive. */
        void pause(LockCommand command) {
            long start = System.nanoTime();
            while (!released.contains(Attempt.of(command)) && System.nanoTime() - start < LONGEST_PAUSE_NANOS) {
                LockSupport.parkNanos(100_000);
            }
        }
    }

    /** A renewal reads the lease, and writes it a little later. */
    static class RenewsWhatItRead extends InTwoSteps {
        @Override
        LockReply execute(LockCommand command) {
            if (command instanceof LockCommand.Release release) {
                return release(release);
            }
            LockReply reply = super.execute(command);
            if (command instanceof LockCommand.Renew renew && reply instanceof LockReply.Granted) {
                pause(command);
                super.execute(
                        new LockCommand.Acquire(command.name(), command.id(), renew.lease(), false, 0, "renewed"));
            }
            return reply;
        }
    }

    /** An acquire looks for its tombstone, and takes the lock a little later. */
    static class ChecksTombstonesBefore extends InTwoSteps {
        private final Set<Attempt> over = ConcurrentHashMap.newKeySet();

        @Override
        LockReply execute(LockCommand command) {
            if (command instanceof LockCommand.Release release) {
                if (release.tombstone().compareTo(Duration.ofSeconds(10)) > 0) {
                    over.add(Attempt.of(release));
                }
                return release(withTombstone(release, Duration.ZERO));
            }
            if (command instanceof LockCommand.Acquire) {
                if (over.contains(Attempt.of(command))) {
                    return new LockReply.Gone();
                }
                pause(command);
            }
            return super.execute(command);
        }
    }

    /** The first acquire of a batch looks for its tombstone, and takes the lock a little later. */
    static class ChecksTombstonesOfBatchesBefore extends ChecksTombstonesBefore {
        private static final ThreadLocal<Boolean> AT_THE_START_OF_A_BATCH = ThreadLocal.withInitial(() -> false);

        static LockStore notingBatches(LockStore store) {
            return new MutatedCalls(store) {
                @Override
                public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                    AT_THE_START_OF_A_BATCH.set(commands.size() > 1);
                    return super.execute(commands, timeout);
                }
            };
        }

        @Override
        void pause(LockCommand command) {
            if (AT_THE_START_OF_A_BATCH.get()) {
                AT_THE_START_OF_A_BATCH.remove();
                super.pause(command);
            }
        }
    }
}
