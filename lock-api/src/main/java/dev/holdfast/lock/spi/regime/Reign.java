package dev.holdfast.lock.spi.regime;

/**
 * The power of one history of the primary's in one epoch: whatever is asked of it is asked under a reign, and refused under any
 * other.
 *
 * @param epoch which
 * @param lineage which history: changes whenever a server's data may have become others
 */
public record Reign(long epoch, String lineage) {}
