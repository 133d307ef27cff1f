package dev.holdfast.lock.spi;

import java.time.Duration;

/** What a store says to a {@link Step}. */
public sealed interface Answer {

    /**
     * The id holds the lock.
     *
     * @param token the store's token of this grant, the same for as long as it lasts; 1 to {@link #MAX_TOKEN}
     * @param remaining how long the lease still lasts, on the store's clock, from the instant the step was carried out
     */
    record Granted(long token, Duration remaining) implements Answer {
        /** The greatest token of a store: 2^53 - 1, which a double holds exactly. */
        public static final long MAX_TOKEN = (1L << 53) - 1;

        /** How many holders of one process, one after the other, may share a grant. */
        public static final int HAND_OFFS = 256;

        /** @throws IllegalArgumentException if the token is out of bounds, or the duration negative or beyond all measure */
        public Granted {
            if (token < 1 || token > MAX_TOKEN) {
                throw new IllegalArgumentException("a store's token is 1 to 2^53 - 1: " + token);
            }
            DurationText.requireMeasurable(remaining, "remaining");
        }

        /**
         * What the application gets as its fencing token: greater for a later grant, and within a grant for a later holder.
         *
         * @param token the store's token
         * @param handOff how many holders of this grant there were before, less than {@link #HAND_OFFS}
         */
        public static long fencingToken(long token, int handOff) {
            return token * HAND_OFFS + handOff;
        }
    }

    /**
     * Not yet: the id has its place in the queue.
     *
     * @param askAgain when to ask again if no signal comes before: what {@link QueueTimes#askAgain} says in a store that
     *     signals, sooner in one that does not
     */
    record Waiting(Duration askAgain) implements Answer {
        /** @throws IllegalArgumentException if the duration is negative or beyond all measure */
        public Waiting {
            DurationText.requireMeasurable(askAgain, "askAgain");
        }
    }

    /**
     * No: somebody else holds the lock, or it is promised to somebody else.
     *
     * @param askAgain how soon to ask again: when the lease ends at the latest, but a holder may release earlier. Who asks
     *     again and again waits longer each time
     */
    record Busy(Duration askAgain) implements Answer {
        /** @throws IllegalArgumentException if the duration is negative or beyond all measure */
        public Busy {
            DurationText.requireMeasurable(askAgain, "askAgain");
        }
    }

    /** The id holds nothing, and this id never will again. */
    record Gone() implements Answer {}

    /**
     * The id holds nothing any more and waits for nothing.
     *
     * @param wasHeld whether its lease had lasted until this very step
     */
    record Released(boolean wasHeld) implements Answer {}

    /**
     * The store cannot tell. Whether the step was carried out is unknown; it is repeated by its id, soon and then ever more
     * seldom, until the store answers.
     *
     * @param why what was in the way
     */
    record Unavailable(Throwable why) implements Answer {}
}
