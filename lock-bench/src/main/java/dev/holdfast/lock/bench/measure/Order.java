package dev.holdfast.lock.bench.measure;

/** What a runner is told to do, and does on one and the same thread. */
sealed interface Order permits Open, WarmUp, Pairs, Loops, Crowd, Arrivals, Ask, Give, Shut {

    /** Does it. */
    Answer perform(Stage stage) throws Exception;
}
