package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Mutants with wrong shares. */
final class MutatedShares {

    private MutatedShares() {}

    /** Has no shares, and executes each command as an exclusive one. */
    static LockStore ignoresThem(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Set<Capability> capabilities() {
                return super.capabilities().stream()
                        .filter(each -> each != Capability.SHARES)
                        .collect(Collectors.toSet());
            }

            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(
                        commands.stream()
                                .map(command -> withShare(command, Share.EXCLUSIVE))
                                .toList(),
                        timeout);
            }
        };
    }

    static LockCommand withShare(LockCommand command, Share share) {
        if (command instanceof LockCommand.Acquire acquire) {
            return new LockCommand.Acquire(
                    acquire.name(),
                    acquire.id(),
                    acquire.lease(),
                    acquire.queue(),
                    acquire.tokenFloor(),
                    acquire.owner(),
                    share);
        } else if (command instanceof LockCommand.Renew renew) {
            return new LockCommand.Renew(renew.name(), renew.id(), renew.lease(), share);
        } else {
            LockCommand.Release release = (LockCommand.Release) command;
            return new LockCommand.Release(
                    release.name(), release.id(), release.minimumHold(), release.tombstone(), share);
        }
    }
}
