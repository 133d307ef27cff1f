package dev.holdfast.lock.redis.script;

import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * A script with its keys and arguments. It may be sent any number of times.
 *
 * @param script which variant of which script
 * @param locks how many locks it is about; their keys are the first
 * @param keys all in one slot
 * @param arguments the rest
 */
public record ScriptCall(Script.Source script, int locks, List<byte[]> keys, List<byte[]> arguments) {

    /** The Cluster slot of its keys. */
    public int slot() {
        return JedisClusterCRC16.getSlot(keys.get(0));
    }

    /** For a server that knows the script. */
    public CommandArguments bySha() {
        return with(new CommandArguments(Command.EVALSHA).add(script.sha()));
    }

    /** For a server that may not know the script. */
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
