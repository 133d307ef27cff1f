package dev.holdfast.lock.tck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Records the holds of one lock, and checks that none overlaps another. Thread-safe. */
final class HoldHistory {

    private final Queue<Hold> all = new ConcurrentLinkedQueue<>();

    /**
     * One hold, in terms of {@link System#nanoTime}, which all processes of a machine share.
     *
     * @param from an instant after the grant
     * @param until an instant before the release
     */
    record Hold(long token, long from, long until) {

        /** Parses the text of {@link #toString}. */
        static Hold parse(String text) {
            String[] words = text.split(" ", 3);
            return new Hold(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
        }

        @Override
        public String toString() {
            return token + " " + from + " " + until;
        }
    }

    void add(Hold hold) {
        all.add(hold);
    }

    /** Checks the number of holds, that none overlaps another, and that their tokens increase. */
    void verify(int expected) {
        List<Hold> inOrder = new ArrayList<>(all);
        inOrder.sort(Comparator.comparingLong(Hold::from));
        for (int next = 1; next < inOrder.size(); next++) {
            Hold before = inOrder.get(next - 1);
            Hold after = inOrder.get(next);
            if (after.from() - before.until() < 0) {
                throw new RuleBroken("two holds of one lock overlap by " + (before.until() - after.from()) + " ns: "
                        + before + " and " + after + " (token, from, until)");
            }
            if (after.token() <= before.token()) {
                throw new RuleBroken(
                        "token " + after.token() + " is not greater than the one before, " + before.token());
            }
        }
        if (inOrder.size() != expected) {
            throw new RuleBroken("the lock was held " + inOrder.size() + " times instead of " + expected);
        }
    }
}
