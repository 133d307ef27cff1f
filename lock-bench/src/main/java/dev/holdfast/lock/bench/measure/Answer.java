package dev.holdfast.lock.bench.measure;

import java.util.List;

/** What a runner says when it has done what it was told. All instants are of {@link System#nanoTime()}, one clock for a machine. */
sealed interface Answer {

    /** It is done. */
    record Done() implements Answer {}

    /** Everybody stands at the gate: {@link Line#GO} opens it. */
    record Ready() implements Answer {}

    /** It could not be done. */
    record Failed(String why) implements Answer {}

    /**
     * What each pair took.
     *
     * @param nanos of each, in their order
     * @param total of all
     */
    record Samples(List<Long> nanos, long total) implements Answer {}

    /** How many pairs in how long. */
    record Count(long pairs, long nanos) implements Answer {}

    /**
     * Who came and was served when.
     *
     * @param gate when the first could come
     */
    record Visits(long gate, List<Visit> visits) implements Answer {}

    /** The lock was asked for, and is held. */
    record Asked(long began, long granted) implements Answer {}

    /** The lock is given back. */
    record Given(long began) implements Answer {}
}
