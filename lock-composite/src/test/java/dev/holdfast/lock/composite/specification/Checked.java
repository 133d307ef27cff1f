package dev.holdfast.lock.composite.specification;

/**
 * What the model checker said.
 *
 * @param exhausted whether it saw every state there is, and none that breaks an invariant
 * @param output all of it, for people; a counterexample with every step
 */
record Checked(boolean exhausted, String output) {

    static Checked of(String output) {
        return new Checked(
                output.contains("Model checking completed. No error has been found.")
                        && output.contains(" 0 states left on queue."),
                output);
    }

    /** Whether it ended, and said nothing of an error. */
    boolean isFlawless() {
        return output.contains("Finished in") && !output.contains("Error");
    }

    boolean violates(String invariant) {
        return output.contains("Invariant " + invariant + " is violated.");
    }
}
