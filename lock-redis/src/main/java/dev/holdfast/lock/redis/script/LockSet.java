package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.LockCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases of different locks in one shard as one call, which carries out those that are plain, and leaves the others:
 * what a script costs at all, its reads and its checks are paid for once.
 */
final class LockSet {

    /** Few enough for one script to delay other clients by little. */
    private static final int MAX_COMMANDS = 64;

    /** Little enough for a socket to take at once: a call is never divided. */
    private static final int MAX_BYTES = 16 * 1_024;

    /** Places among the keys of a command. */
    private static final int LOCK = 0;

    private static final int RESERVATION = 1;
    private static final int TOMBSTONE = 2;

    private static final byte[] NONE = {};

    private final ShardKeys shard;
    private final List<Entry> acquires = new ArrayList<>();
    private final List<Entry> releases = new ArrayList<>();
    /** One of the acquires, whose lease, floor and owner are those of all; null if there is none. */
    private LockCommand.@Nullable Acquire acquire;

    private int bytes;

    LockSet(ShardKeys shard) {
        this.shard = shard;
    }

    /** Whether such a command may be plain; renewals have calls of their own. */
    static boolean carries(LockCommand command) {
        return command instanceof LockCommand.Acquire
                || (command instanceof LockCommand.Release release
                        && release.tombstone().isZero()
                        && release.minimumHold().isZero());
    }

    /** Whether there is room for a command on a lock of this shard, and its lease, floor and owner are those of the others. */
    boolean admits(LockCommand command, ShardKeys ofLock) {
        return shard == ofLock
                && size() < MAX_COMMANDS
                && bytes < MAX_BYTES
                && (acquire == null || !(command instanceof LockCommand.Acquire other) || isLike(acquire, other));
    }

    private static boolean isLike(LockCommand.Acquire one, LockCommand.Acquire other) {
        return one.lease().equals(other.lease())
                && one.tokenFloor() == other.tokenFloor()
                && one.owner().equals(other.owner());
    }

    /**
     * Adds a command that it admits, on another lock.
     *
     * @param index of the command in the list of commands
     */
    void add(LockCommand command, byte[] name, int index) {
        byte[] id = ScriptValues.id(command.id());
        List<byte[]> keys;
        if (command instanceof LockCommand.Acquire each) {
            acquire = each;
            keys = List.of(shard.lock(name), shard.reservation(name), shard.tombstone(id, name));
            acquires.add(new Entry(index, keys, id));
        } else {
            keys = List.of(shard.lock(name), shard.reservation(name));
            releases.add(new Entry(index, keys, id));
        }
        keys.forEach(key -> bytes += key.length);
        bytes += id.length;
    }

    int size() {
        return acquires.size() + releases.size();
    }

    /** The indexes of the commands, in the order of the parts of the reply. */
    List<Integer> commands() {
        return entries().map(each -> each.index).toList();
    }

    /** In the order of lock_set.lua. */
    ScriptCall call(KeyLayout layout) {
        List<byte[]> keys = new ArrayList<>(3 * size() + 2);
        entries().forEach(each -> keys.add(each.keys.get(LOCK)));
        entries().forEach(each -> keys.add(each.keys.get(RESERVATION)));
        acquires.forEach(each -> keys.add(each.keys.get(TOMBSTONE)));
        keys.add(shard.counter());
        keys.add(shard.term());
        List<byte[]> arguments = new ArrayList<>(size() + 6);
        arguments.add(ScriptValues.number(acquires.size()));
        arguments.add(acquire == null ? NONE : ScriptValues.millis(acquire.lease()));
        arguments.add(acquire == null ? NONE : ScriptValues.number(acquire.tokenFloor()));
        arguments.add(acquire == null ? NONE : ScriptValues.owner(acquire.owner()));
        entries().forEach(each -> arguments.add(each.id));
        return ScriptCall.of(Script.LOCK_SET, layout, size(), keys, arguments);
    }

    /** First the acquires, then the releases. */
    private Stream<Entry> entries() {
        return Stream.concat(acquires.stream(), releases.stream());
    }

    /** A command of the set. */
    private static final class Entry {

        /** The place of the command in the list of commands. */
        private final int index;

        private final List<byte[]> keys;
        private final byte[] id;

        Entry(int index, List<byte[]> keys, byte[] id) {
            this.index = index;
            this.keys = keys;
            this.id = id;
        }
    }
}
