package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.LockCommand;
import java.util.List;

/** Commands for shares other than the exclusive one as script calls. */
final class ShareCalls {

    private ShareCalls() {}

    /**
     * The call for a command.
     *
     * @param id of the command
     * @param channel on which a waiter is notified
     * @param lockKeys in the order of share_keys.lua
     */
    static ScriptCall of(LockCommand command, byte[] id, byte[] channel, KeyLayout layout, List<byte[]> lockKeys) {
        if (command instanceof LockCommand.Acquire acquire) {
            return ScriptCall.of(
                    Script.SHARE_ACQUIRE,
                    layout,
                    1,
                    lockKeys,
                    List.of(
                            id,
                            ScriptValues.millis(acquire.lease()),
                            ScriptValues.number(acquire.queue() ? 1 : 0),
                            ScriptValues.number(acquire.tokenFloor()),
                            ScriptValues.owner(acquire.owner()),
                            channel,
                            ScriptValues.number(acquire.share().permits()),
                            ScriptValues.number(acquire.share().limit())));
        } else if (command instanceof LockCommand.Renew renew) {
            return ScriptCall.of(
                    Script.SHARE_RENEW, layout, 1, lockKeys, List.of(id, ScriptValues.millis(renew.lease())));
        }
        LockCommand.Release release = (LockCommand.Release) command;
        return ScriptCall.of(
                Script.SHARE_RELEASE,
                layout,
                1,
                lockKeys,
                List.of(id, ScriptValues.micros(release.minimumHold()), ScriptValues.millis(release.tombstone())));
    }
}
