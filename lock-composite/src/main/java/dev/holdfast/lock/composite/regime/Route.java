package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Reign;

/** Where a step goes. */
public sealed interface Route {

    /**
     * Nowhere: this is the answer. Where it is unavailable for a {@link dev.holdfast.lock.spi.regime.DeposedException}, asking
     * again is worth it as soon as another regime is known.
     */
    record Answered(Answer answer) implements Route {}

    /** To the primary, under this reign. */
    record ToPrimary(Reign reign, Step step) implements Route {}

    /**
     * To the authority, in this epoch.
     *
     * @param step as it is asked there
     * @param wasHeldHere whether it releases what this process held until now, though the authority may not know yet
     */
    record ToAuthority(long epoch, Step step, boolean wasHeldHere) implements Route {}
}
