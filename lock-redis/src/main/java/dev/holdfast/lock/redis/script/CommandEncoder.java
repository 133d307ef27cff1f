package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Encodes commands as script calls. {@link ScriptReplies} decodes what the server answers. */
final class CommandEncoder {

    private final KeyLayout keys;
    private final byte[] channel;

    /** @param channel of this store, on which its waiters are notified */
    CommandEncoder(KeyLayout keys, String channel) {
        this.keys = keys;
        this.channel = ScriptValues.text(channel);
    }

    KeyLayout keys() {
        return keys;
    }

    /**
     * The calls for these commands. Renewals in one shard share a call if no other command is between them, and so do a release and
     * the acquire of the same lock that follows it. Commands on one lock keep their order, others do not. A command for a share has a
     * call of its own.
     *
     * @param mayLeave whether acquires and releases of different locks in one shard may share a call, which may leave some of them
     */
    CommandBatch encode(List<LockCommand> commands, boolean mayLeave) {
        CommandBatch batch = new CommandBatch(commands.size());
        if (commands.size() == 1 && !(commands.get(0) instanceof LockCommand.Renew)) {
            byte[] name = ScriptValues.text(commands.get(0).name().value());
            batch.add(call(commands.get(0), keys.shardOf(name), name), List.of(0));
            return batch;
        }
        Set<LockName> repeated = mayLeave ? repeated(commands) : Set.of();
        Map<ShardKeys, RenewalBatch> renewals = new LinkedHashMap<>();
        List<LockSet> sets = new ArrayList<>(1);
        for (int at = 0; at < commands.size(); at++) {
            LockCommand command = commands.get(at);
            byte[] name = ScriptValues.text(command.name().value());
            ShardKeys shard = keys.shardOf(name);
            if (command instanceof LockCommand.Renew renew && command.share().isExclusive()) {
                RenewalBatch ofShard = renewals.computeIfAbsent(shard, RenewalBatch::new);
                ofShard.add(renew, name, at);
                if (ofShard.isFull()) {
                    batch.add(ofShard.call(keys), ofShard.commands());
                    renewals.remove(shard);
                }
            } else if (mayLeave
                    && command.share().isExclusive()
                    && LockSet.carries(command)
                    && !repeated.contains(command.name())) {
                set(sets, shard, command).add(command, name, at);
            } else {
                flush(renewals, batch);
                if (at + 1 < commands.size() && isHandoff(command, commands.get(at + 1))) {
                    LockCommand.Acquire acquire = (LockCommand.Acquire) commands.get(at + 1);
                    batch.add(handoff((LockCommand.Release) command, acquire, shard, name), List.of(at, at + 1));
                    at++;
                } else {
                    batch.add(call(command, shard, name), List.of(at));
                }
            }
        }
        flush(renewals, batch);
        sets.forEach(set -> add(set, commands, batch));
        return batch;
    }

    /** A set that admits the command, which is a new one if none of these does. */
    private static LockSet set(List<LockSet> sets, ShardKeys shard, LockCommand command) {
        for (LockSet set : sets) {
            if (set.admits(command, shard)) {
                return set;
            }
        }
        LockSet added = new LockSet(shard);
        sets.add(added);
        return added;
    }

    /** The locks of several commands, whose order counts: none of them may be left for later. */
    private static Set<LockName> repeated(List<LockCommand> commands) {
        Set<LockName> names = new HashSet<>();
        Set<LockName> repeated = new HashSet<>();
        for (LockCommand command : commands) {
            if (!names.add(command.name())) {
                repeated.add(command.name());
            }
        }
        return repeated;
    }

    private void flush(Map<ShardKeys, RenewalBatch> renewals, CommandBatch batch) {
        renewals.values().forEach(each -> batch.add(each.call(keys), each.commands()));
        renewals.clear();
    }

    /** A single command keeps its own script, which costs less than a set of one. */
    private void add(LockSet set, List<LockCommand> commands, CommandBatch batch) {
        if (set.size() == 1) {
            int at = set.commands().get(0);
            byte[] name = ScriptValues.text(commands.get(at).name().value());
            batch.add(call(commands.get(at), keys.shardOf(name), name), List.of(at));
        } else {
            batch.add(set.call(keys), set.commands());
        }
    }

    /** Whether one call can carry both commands. A release that leaves a tombstone needs its own call. */
    private static boolean isHandoff(LockCommand first, LockCommand second) {
        return first instanceof LockCommand.Release release
                && first.share().isExclusive()
                && release.tombstone().isZero()
                && second instanceof LockCommand.Acquire
                && second.share().isExclusive()
                && first.name().equals(second.name());
    }

    private ScriptCall call(LockCommand command, ShardKeys shard, byte[] name) {
        byte[] id = ScriptValues.id(command.id());
        if (!command.share().isExclusive()) {
            return ShareCalls.of(command, id, channel, keys, shard.withShares(name, id));
        }
        List<byte[]> lockKeys = shard.keys(name, id);
        if (command instanceof LockCommand.Acquire acquire) {
            return ScriptCall.of(Script.ACQUIRE, keys, 1, lockKeys, arguments(acquire, id));
        }
        LockCommand.Release release = (LockCommand.Release) command;
        return ScriptCall.of(
                Script.RELEASE,
                keys,
                1,
                lockKeys,
                List.of(id, ScriptValues.micros(release.minimumHold()), ScriptValues.millis(release.tombstone())));
    }

    private ScriptCall handoff(LockCommand.Release release, LockCommand.Acquire acquire, ShardKeys shard, byte[] name) {
        byte[] id = ScriptValues.id(acquire.id());
        List<byte[]> arguments = new ArrayList<>(arguments(acquire, id));
        arguments.add(ScriptValues.id(release.id()));
        arguments.add(ScriptValues.micros(release.minimumHold()));
        return ScriptCall.of(Script.HANDOFF, keys, 1, shard.keys(name, id), arguments);
    }

    /** The arguments in the order of acquire.lua. */
    private List<byte[]> arguments(LockCommand.Acquire acquire, byte[] id) {
        return List.of(
                id,
                ScriptValues.millis(acquire.lease()),
                ScriptValues.number(acquire.queue() ? 1 : 0),
                ScriptValues.number(acquire.tokenFloor()),
                ScriptValues.owner(acquire.owner()),
                channel);
    }
}
