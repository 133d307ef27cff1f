package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.spi.regime.Mode;

/** Told of what happens. Called in the middle of a change: it takes note, and returns. */
public interface Events {

    /** Something for people. */
    void happened(RegimeEvent event);

    /** Another store grants, or none: whoever waits has to ask anew. */
    void changed(Mode mode);

    /** Some holds count for less long than was said before. */
    void sooner();
}
