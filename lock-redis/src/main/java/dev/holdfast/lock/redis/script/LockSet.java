package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Acquires and releases of different locks in one shard as one call: what a script costs at all, its reads and its checks are
 * paid for once.
 */
final class LockSet {

    /** Few enough for one script to delay other clients by little. */
    private static final int MAX_COMMANDS = 64;

    /** Little enough for a socket to take at once: a call is never divided. */
    private static final int MAX_BYTES = 16 * 1_024;

    /** Places in keys.lua. */
    private static final int LOCK = 0;

    private static final int RESERVATION = 1;
    private static final int TOMBSTONE = 2;
    private static final int TOKEN = 3;
    private static final int QUEUE = 4;
    private static final int SEEN = 5;
    private static final int OWNERS = 6;
    private static final int TERM = 7;

    private final ShardKeys shard;
    private final List<Entry> acquires = new ArrayList<>();
    private final List<Entry> releases = new ArrayList<>();
    private final Set<LockName> names = new HashSet<>();
    private int bytes;

    LockSet(ShardKeys shard) {
        this.shard = shard;
    }

    /** Whether a set can have such a command. A release that leaves a tombstone needs its own call, and renewals have theirs. */
    static boolean carries(LockCommand command) {
        return command instanceof LockCommand.Acquire
                || (command instanceof LockCommand.Release release
                        && release.tombstone().isZero());
    }

    boolean contains(LockName name) {
        return names.contains(name);
    }

    /**
     * Adds a command that a set can have, on a lock that it does not contain.
     *
     * @param index of the command in the list of commands
     */
    void add(LockCommand command, byte[] name, int index) {
        byte[] id = ScriptValues.id(command.id());
        Entry entry = new Entry(shard.keys(name, id), arguments(command, id), index);
        (command instanceof LockCommand.Acquire ? acquires : releases).add(entry);
        names.add(command.name());
        entry.keys().forEach(each -> bytes += each.length);
        entry.arguments().forEach(each -> bytes += each.length);
    }

    private static List<byte[]> arguments(LockCommand command, byte[] id) {
        return command instanceof LockCommand.Acquire acquire
                ? List.of(
                        id,
                        ScriptValues.millis(acquire.lease()),
                        ScriptValues.number(acquire.queue() ? 1 : 0),
                        ScriptValues.number(acquire.tokenFloor()),
                        ScriptValues.owner(acquire.owner()))
                : List.of(id, ScriptValues.micros(((LockCommand.Release) command).minimumHold()));
    }

    boolean isFull() {
        return names.size() == MAX_COMMANDS || bytes >= MAX_BYTES;
    }

    void clear() {
        acquires.clear();
        releases.clear();
        names.clear();
        bytes = 0;
    }

    int size() {
        return names.size();
    }

    /** The indexes of the commands, in the order of the parts of the reply. */
    List<Integer> commands() {
        return entries().map(Entry::index).toList();
    }

    /** In the order of lock_set.lua. */
    ScriptCall call(KeyLayout layout, byte[] channel) {
        Entry first = entries().findFirst().orElseThrow();
        List<byte[]> keys = new ArrayList<>(6 * size() + 2);
        entries().forEach(each -> keys.add(each.keys().get(LOCK)));
        entries().forEach(each -> keys.add(each.keys().get(RESERVATION)));
        acquires.forEach(each -> keys.add(each.keys().get(TOMBSTONE)));
        keys.add(first.keys().get(TOKEN));
        keys.add(first.keys().get(TERM));
        entries().forEach(each -> keys.add(each.keys().get(QUEUE)));
        entries().forEach(each -> keys.add(each.keys().get(SEEN)));
        entries().forEach(each -> keys.add(each.keys().get(OWNERS)));
        List<byte[]> arguments = new ArrayList<>(5 * size() + 4);
        arguments.add(ScriptValues.number(acquires.size()));
        arguments.add(channel);
        entries().forEach(each -> arguments.addAll(each.arguments()));
        return ScriptCall.of(Script.LOCK_SET, layout, size(), keys, arguments);
    }

    /** First the acquires, then the releases. */
    private Stream<Entry> entries() {
        return Stream.concat(acquires.stream(), releases.stream());
    }

    /**
     * A command of the set.
     *
     * @param keys of its lock, in the order of keys.lua
     * @param index of the command in the list of commands
     */
    private record Entry(List<byte[]> keys, List<byte[]> arguments, int index) {}
}
