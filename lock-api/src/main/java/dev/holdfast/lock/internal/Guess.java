package dev.holdfast.lock.internal;

/** Whether what may be so is worth a try. After each miss in a row it is left out for twice as long. Not thread-safe. */
final class Guess {

    private static final int LONGEST = 64;

    private int pause;
    private int left;

    /** Asked each time it could be tried. */
    boolean isWorthIt() {
        if (left == 0) {
            return true;
        }
        left--;
        return false;
    }

    /** It was tried. */
    void was(boolean right) {
        pause = right ? 0 : Math.min(LONGEST, 2 * pause + 1);
        left = pause;
    }
}
