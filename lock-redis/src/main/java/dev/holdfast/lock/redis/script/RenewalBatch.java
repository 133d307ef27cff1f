package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.LockCommand;
import java.util.ArrayList;
import java.util.List;

/** Renewals in one shard as one call: one script for many locks takes less time than many scripts. */
final class RenewalBatch {

    /** Few enough for one script to hardly delay other clients. */
    private static final int MAX_COMMANDS = 100;

    /** Small enough for a socket to take at once: a call is never split. */
    private static final int MAX_BYTES = 8 * 1_024;

    private final ShardKeys shard;
    private final List<byte[]> locks = new ArrayList<>();
    private final List<byte[]> reservations = new ArrayList<>();
    private final List<byte[]> queues = new ArrayList<>();
    private final List<byte[]> arguments = new ArrayList<>();
    private final List<Integer> commands = new ArrayList<>();
    private int bytes;

    RenewalBatch(ShardKeys shard) {
        this.shard = shard;
    }

    /** @param command the index of the renewal in the list of commands */
    void add(LockCommand.Renew renew, byte[] name, int command) {
        byte[] lock = shard.lock(name);
        byte[] reservation = shard.reservation(name);
        byte[] queue = shard.queue(name);
        byte[] id = ScriptValues.id(renew.id());
        locks.add(lock);
        reservations.add(reservation);
        queues.add(queue);
        arguments.add(id);
        arguments.add(ScriptValues.millis(renew.lease()));
        commands.add(command);
        bytes += lock.length + reservation.length + queue.length + id.length;
    }

    boolean isFull() {
        return commands.size() == MAX_COMMANDS || bytes >= MAX_BYTES;
    }

    /** The indexes of the renewals, in the order of the parts of the reply. */
    List<Integer> commands() {
        return commands;
    }

    ScriptCall call(KeyLayout layout) {
        List<byte[]> keys = new ArrayList<>(3 * locks.size() + 1);
        keys.addAll(locks);
        keys.addAll(reservations);
        keys.addAll(queues);
        keys.add(shard.term());
        return ScriptCall.of(Script.RENEW, layout, locks.size(), keys, arguments);
    }
}
