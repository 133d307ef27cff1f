package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.failover.PrimaryTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * A script with its keys and arguments. It may be sent any number of times.
 *
 * @param script the variant of a script
 * @param locks the number of locks that it concerns; their keys come first
 * @param keys all in one slot
 * @param arguments the rest
 */
public record ScriptCall(Script.Source script, int locks, List<byte[]> keys, List<byte[]> arguments) {

    /** No id has a tombstone when a lock is shown. */
    private static final AcquisitionId NO_ID = new AcquisitionId(0, 0);

    /**
     * A call of the script's variant for these keys: under a primary term its epoch and replication id are the last arguments.
     *
     * @param keys of the locks, and under a primary term the term's record among them
     */
    static ScriptCall of(Script script, KeyLayout layout, int locks, List<byte[]> keys, List<byte[]> arguments) {
        Optional<PrimaryTerm> term = layout.primaryTerm();
        if (term.isEmpty()) {
            return new ScriptCall(script.standalone(), locks, keys, arguments);
        }
        List<byte[]> all = new ArrayList<>(arguments);
        all.add(ScriptValues.number(term.get().epoch()));
        all.add(ScriptValues.text(term.get().replicationId()));
        return new ScriptCall(script.underTerm(), locks, keys, all);
    }

    /** Shows a lock. */
    public static ScriptCall list(KeyLayout layout, LockName name) {
        return of(Script.LIST, layout, 1, layout.of(name, NO_ID), List.of());
    }

    /** Tries the commands of all scripts on keys of this shard, and leaves nothing behind. */
    public static ScriptCall probe(Script.Source probe, KeyLayout layout, int shard) {
        return new ScriptCall(probe, 0, layout.probes(shard), List.of(ScriptValues.text(layout.channels() + "probe")));
    }

    /** The Cluster slot of its keys. */
    public int slot() {
        return JedisClusterCRC16.getSlot(keys.get(0));
    }

    /** The command for a server that knows the script. */
    public CommandArguments bySha() {
        return with(new CommandArguments(Command.EVALSHA).add(script.sha()));
    }

    /** The command for a server that may not know the script. */
    public CommandArguments byText() {
        return with(new CommandArguments(Command.EVAL).add(script.text()));
    }

    private CommandArguments with(CommandArguments command) {
        command.add(keys.size());
        for (byte[] key : keys) {
            command.add(uncopied(key)); // key() would compute the slot of each key, which is not needed
        }
        for (byte[] argument : arguments) {
            command.add(uncopied(argument));
        }
        return command;
    }

    /** An argument that is not copied, as nothing changes it. */
    private static Rawable uncopied(byte[] argument) {
        return () -> argument;
    }
}
