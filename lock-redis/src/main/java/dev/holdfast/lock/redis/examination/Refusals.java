package dev.holdfast.lock.redis.examination;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a user may not do that locks need.
 *
 * @param commands which commands, as a rule of the server's would name them
 * @param keys whether not with our keys
 * @param channels whether not with our channels
 */
record Refusals(SortedSet<String> commands, boolean keys, boolean channels) {

    /** Nothing is refused. */
    static final Refusals NONE = new Refusals(new TreeSet<>(), false, false);

    private static final String OURS = "holdfast:*";

    Refusals {
        commands = Collections.unmodifiableSortedSet(new TreeSet<>(commands));
    }

    static Refusals of(String command) {
        return new Refusals(new TreeSet<>(List.of(command)), false, false);
    }

    boolean isEmpty() {
        return commands.isEmpty() && !keys && !channels;
    }

    Refusals and(Refusals more) {
        SortedSet<String> all = new TreeSet<>(commands);
        all.addAll(more.commands);
        return new Refusals(all, keys || more.keys, channels || more.channels);
    }

    /** In words. */
    String what() {
        List<String> parts = new ArrayList<>();
        if (!commands.isEmpty()) {
            parts.add("the commands " + String.join(", ", commands));
        }
        if (keys) {
            parts.add("the keys " + OURS);
        }
        if (channels) {
            parts.add("the channels " + OURS);
        }
        return String.join(", and ", parts);
    }

    /** What to tell the server, so that this user may. Only adds: whatever else the user may is nobody's business here. */
    String remedy(String user) {
        StringBuilder line = new StringBuilder("ACL SETUSER ").append(user);
        if (keys) {
            line.append(" ~").append(OURS);
        }
        if (channels) {
            line.append(" &").append(OURS);
        }
        commands.forEach(command -> line.append(" +").append(command));
        return line.toString();
    }
}
