package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Mutants whose commands are not atomic, so that two of one id at the same time show it. */
final class MutatedRaces {

    private MutatedRaces() {}

    private static void pause() {
        LockSupport.parkNanos(2_000_000);
    }

    /** A renewal reads the lease, and writes it a little later. */
    static class RenewsWhatItRead extends MutatedSpace {
        @Override
        LockReply execute(LockCommand command) {
            LockReply reply = super.execute(command);
            if (command instanceof LockCommand.Renew renew && reply instanceof LockReply.Granted) {
                pause();
                super.execute(
                        new LockCommand.Acquire(command.name(), command.id(), renew.lease(), false, 0, "renewed"));
            }
            return reply;
        }
    }

    /** An acquire looks for its tombstone, and takes the lock a little later. */
    static class ChecksTombstonesBefore extends MutatedSpace {
        private final Set<LockCommand> over = ConcurrentHashMap.newKeySet();

        private static LockCommand key(LockCommand command) {
            return new LockCommand.Renew(command.name(), command.id(), Duration.ofSeconds(1));
        }

        @Override
        LockReply execute(LockCommand command) {
            if (command instanceof LockCommand.Release release) {
                LockReply reply = super.execute(withTombstone(release, Duration.ZERO));
                if (release.tombstone().compareTo(Duration.ofSeconds(10)) > 0) {
                    over.add(key(command));
                }
                return reply;
            }
            if (command instanceof LockCommand.Acquire) {
                if (over.contains(key(command))) {
                    return new LockReply.Gone();
                }
                pause();
            }
            return super.execute(command);
        }
    }
}
