package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Share;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Records the holds of one lock, and checks that none overlaps another, unless their shares are compatible. Thread-safe. */
final class HoldHistory {

    private final Queue<Hold> all = new ConcurrentLinkedQueue<>();

    /**
     * One hold, in terms of {@link System#nanoTime}, which all processes of a machine share.
     *
     * @param from an instant after the grant
     * @param until an instant before the release
     */
    record Hold(Share share, long token, long from, long until) {

        /** A hold of an exclusive lock. */
        Hold(long token, long from, long until) {
            this(Share.EXCLUSIVE, token, from, until);
        }

        /** Parses the text of {@link #toString} of an exclusive lock. */
        static Hold parse(String text) {
            String[] words = text.split(" ", 3);
            return new Hold(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
        }

        @Override
        public String toString() {
            return token + " " + from + " " + until + (share.isExclusive() ? "" : " " + share);
        }
    }

    void add(Hold hold) {
        all.add(hold);
    }

    /** Checks the number of holds, that none overlaps others that it is not compatible with, and that their tokens increase. */
    void verify(int expected) {
        List<Hold> inOrder = new ArrayList<>(all);
        inOrder.sort(Comparator.comparingLong(Hold::from));
        List<Hold> lasting = new ArrayList<>();
        for (int next = 0; next < inOrder.size(); next++) {
            Hold hold = inOrder.get(next);
            lasting.removeIf(before -> hold.from() - before.until() >= 0);
            lasting.add(hold);
            if (!Share.areCompatible(lasting.stream().map(Hold::share).toList())) {
                throw new RuleBroken("holds of one lock overlap: " + lasting + " (token, from, until, share)");
            }
            for (Hold before : inOrder.subList(0, next)) {
                boolean isOrdered = !Share.areCompatible(List.of(before.share(), hold.share()));
                if (isOrdered && hold.token() <= before.token()) {
                    throw new RuleBroken(
                            "token " + hold.token() + " is not greater than the one before, " + before.token());
                }
            }
        }
        if (inOrder.size() != expected) {
            throw new RuleBroken("the lock was held " + inOrder.size() + " times instead of " + expected);
        }
    }
}
