package dev.holdfast.lock.spi.failover;

import java.util.Optional;

/**
 * The health of a primary.
 *
 * @param replicationId the replication history of its data; meaningful on a master
 * @param master whether the server is a master, not a replica
 * @param epoch the epoch of the term that was installed last; 0 for none, or if it was lost
 * @param clock the clock of the server, in microseconds since 1970
 * @param highestToken the greatest token that the server remembers outside any term
 * @param objection the reason why it must not grant, such as being a replica; empty if there is none
 */
public record PrimaryHealth(
        String replicationId, boolean master, long epoch, long clock, long highestToken, Optional<String> objection) {}
