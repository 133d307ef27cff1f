package dev.holdfast.lock.spi.regime;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;

/**
 * A grant on its way from one store to the other.
 *
 * @param name the lock
 * @param id whose it is
 * @param token which it was granted with, and keeps
 * @param age for how long it has been
 * @param remaining how long it lasts
 * @param kept whether it was given back, and lasts for its minimum hold only
 * @param owner what its holder said of itself
 */
public record Carried(
        LockName name, AcquisitionId id, long token, Duration age, Duration remaining, boolean kept, String owner) {}
