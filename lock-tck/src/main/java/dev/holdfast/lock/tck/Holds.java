package dev.holdfast.lock.tck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Who held one lock and when, and whether that was one after the other. Thread-safe. */
final class Holds {

    private final Queue<Hold> all = new ConcurrentLinkedQueue<>();

    /**
     * One hold, by the clock that {@link System#nanoTime} reads: the same in all processes of a machine.
     *
     * @param from when its holder knew that it held the lock
     * @param until when it had not yet given it back
     */
    record Hold(long token, long from, long until) {

        /** As {@link #toString} wrote it. */
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

    /** That there are so many, none of which overlaps another, and whose tokens rise. */
    void verify(int expected) {
        List<Hold> inOrder = new ArrayList<>(all);
        inOrder.sort(Comparator.comparingLong(Hold::from));
        for (int next = 1; next < inOrder.size(); next++) {
            Hold before = inOrder.get(next - 1);
            Hold after = inOrder.get(next);
            if (after.from() - before.until() < 0) {
                throw new Broken("one lock was held twice for " + (before.until() - after.from()) + " ns: " + before
                        + " and " + after + " (token, from, until)");
            }
            if (after.token() <= before.token()) {
                throw new Broken("token " + after.token() + " came after " + before.token());
            }
        }
        if (inOrder.size() != expected) {
            throw new Broken("a lock was held " + inOrder.size() + " times instead of " + expected);
        }
    }
}
