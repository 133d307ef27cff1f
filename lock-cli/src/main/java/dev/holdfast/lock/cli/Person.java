package dev.holdfast.lock.cli;

import java.io.IOException;

/** Whoever sits at the terminal. */
interface Person {

    /** Whether there is anybody. */
    boolean isThere() throws IOException, InterruptedException;

    /**
     * Asks, and waits for the answer.
     *
     * @return whether it was yes; anything else, or the end of the input, is no
     */
    boolean agrees(String question) throws IOException;
}
