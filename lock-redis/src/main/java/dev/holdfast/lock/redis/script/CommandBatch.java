package dev.holdfast.lock.redis.script;

import java.util.ArrayList;
import java.util.List;

/** The script calls for a list of commands. One call may carry several commands, and its reply has a part for each. */
final class CommandBatch {

    private final int size;
    private final List<ScriptCall> calls = new ArrayList<>(1);
    /** The indexes of the commands of each call, in the order of the parts of its reply. */
    private final List<List<Integer>> commandsOf = new ArrayList<>(1);

    /** @param size the number of commands */
    CommandBatch(int size) {
        this.size = size;
    }

    /** Adds a call that carries the commands at these indexes. */
    void add(ScriptCall call, List<Integer> commands) {
        calls.add(call);
        commandsOf.add(commands);
    }

    /** The calls to send, those on one lock in the order of the commands. */
    List<ScriptCall> calls() {
        return calls;
    }

    /**
     * The reply to each command, or the exception that explains why there is none.
     *
     * @param results for each call its reply, or such an exception
     */
    Object[] replies(List<Object> results) {
        Object[] replies = new Object[size];
        for (int call = 0; call < calls.size(); call++) {
            List<Integer> commands = commandsOf.get(call);
            List<Object> parts = ScriptReplies.parts(results.get(call), commands.size());
            for (int part = 0; part < commands.size(); part++) {
                replies[commands.get(part)] = parts.get(part);
            }
        }
        return replies;
    }
}
