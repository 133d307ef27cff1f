package dev.holdfast.lock.redis.script;

import java.util.ArrayList;
import java.util.List;

/** What is sent for some steps, and which of the replies is to which step: that to several at once has a part for each. */
public final class Batch {

    private final List<Call> calls = new ArrayList<>();
    /** Of each step, which of the calls. */
    private final int[] call;
    /** Of each step, which part of the reply. */
    private final int[] part;

    Batch(int steps) {
        call = new int[steps];
        part = new int[steps];
    }

    /** The next call, which is about these steps. */
    void add(Call next, List<Integer> steps) {
        for (int at = 0; at < steps.size(); at++) {
            call[steps.get(at)] = calls.size();
            part[steps.get(at)] = at;
        }
        calls.add(next);
    }

    /** What to send: for each lock in the order of the steps. */
    public List<Call> calls() {
        return calls;
    }

    /**
     * What came of each step, in their order: a reply, or why there is none.
     *
     * @param replies one for each call
     */
    public List<Object> replies(List<Object> replies) {
        List<Object> its = new ArrayList<>(call.length);
        for (int step = 0; step < call.length; step++) {
            Object reply = replies.get(call[step]);
            if (Renewals.isAnswer(reply)) {
                its.add(Renewals.part((List<?>) reply, part[step]));
            } else if (Passing.isAnswer(reply)) {
                its.add(Passing.part((List<?>) reply, part[step]));
            } else {
                its.add(reply);
            }
        }
        return its;
    }
}
