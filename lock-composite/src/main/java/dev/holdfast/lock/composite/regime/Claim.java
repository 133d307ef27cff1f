package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;

/**
 * What an acquisition is about: an id stands for one lock only.
 *
 * @param name the lock
 * @param id whose acquisition it is
 */
record Claim(LockName name, AcquisitionId id) {

    static Claim of(Step step) {
        return new Claim(step.name(), step.id());
    }
}
