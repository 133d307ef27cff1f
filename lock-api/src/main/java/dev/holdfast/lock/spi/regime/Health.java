package dev.holdfast.lock.spi.regime;

import java.util.Optional;

/**
 * How a primary is.
 *
 * @param lineage which history its data is of; meaningful if it is a master
 * @param master whether it is no replica
 * @param epoch of the reign that was installed there last; 0 for none, or if it was lost
 * @param clock its clock, in microseconds since 1970
 * @param highestToken the greatest token that it remembers outside of any reign
 * @param objection why it must not grant, such as that it is a replica; empty if nothing speaks against it
 */
public record Health(
        String lineage, boolean master, long epoch, long clock, long highestToken, Optional<String> objection) {}
