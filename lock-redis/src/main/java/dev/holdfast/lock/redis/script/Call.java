package dev.holdfast.lock.redis.script;

import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * A script with what it is called with. May be sent any number of times.
 *
 * @param script which
 * @param locks how many locks it is about; their keys are the first
 * @param keys all in one slot
 * @param arguments the rest
 */
public record Call(Script script, int locks, List<byte[]> keys, List<byte[]> arguments) {

    /** The slot of a Cluster in which its keys are. */
    public int slot() {
        return JedisClusterCRC16.getSlot(keys.get(0));
    }

    /** As it is sent to a server that has seen the script. */
    public CommandArguments bySha() {
        return with(new CommandArguments(Command.EVALSHA).add(script.sha()));
    }

    /** As it is sent to a server that may not have. */
    public CommandArguments byText() {
        return with(new CommandArguments(Command.EVAL).add(script.text()));
    }

    private CommandArguments with(CommandArguments command) {
        command.add(keys.size());
        for (byte[] key : keys) {
            command.add(key); // not by key(): it reckons slots, which nobody here asks it for
        }
        for (byte[] argument : arguments) {
            command.add(argument);
        }
        return command;
    }
}
