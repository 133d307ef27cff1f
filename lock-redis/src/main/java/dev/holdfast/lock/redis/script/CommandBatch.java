package dev.holdfast.lock.redis.script;

import java.util.ArrayList;
import java.util.List;

/** The script calls for a list of commands. One call may carry several commands, and its reply has a part for each. */
final class CommandBatch {

    private final List<ScriptCall> calls = new ArrayList<>();
    /** The index of each command's call. */
    private final int[] callOf;
    /** The part of that call's reply for each command. */
    private final int[] partOf;

    CommandBatch(int commands) {
        callOf = new int[commands];
        partOf = new int[commands];
    }

    /** Adds a call that carries the commands at these indexes. */
    void add(ScriptCall call, List<Integer> commands) {
        for (int part = 0; part < commands.size(); part++) {
            callOf[commands.get(part)] = calls.size();
            partOf[commands.get(part)] = part;
        }
        calls.add(call);
    }

    /** The calls to send, those on one lock in the order of the commands. */
    List<ScriptCall> calls() {
        return calls;
    }

    /**
     * The reply to the command at this index, or the exception that explains why there is none.
     *
     * @param results for each call its reply, or such an exception
     */
    Object reply(int command, List<Object> results) {
        return ScriptReplies.part(results.get(callOf[command]), partOf[command]);
    }
}
