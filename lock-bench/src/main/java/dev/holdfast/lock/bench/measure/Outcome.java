package dev.holdfast.lock.bench.measure;

/** How a turn ended. */
public sealed interface Outcome {

    /** It was measured. */
    record Measured(Reading reading) implements Outcome {}

    /** It was not. */
    sealed interface Missing extends Outcome {
        /** In words. */
        String why();
    }

    /** It took longer than its limit. */
    record Unfinished(String why) implements Missing {}

    /** It threw. */
    record Failed(String why) implements Missing {}
}
