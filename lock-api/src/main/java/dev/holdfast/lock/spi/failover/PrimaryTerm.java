package dev.holdfast.lock.spi.failover;

/**
 * The right of one replication history of the primary to grant in one epoch. Every command to the primary names a term, and is
 * refused unless that term is in force.
 *
 * @param epoch the epoch of the authority
 * @param replicationId the replication history, which changes whenever the data of the server may have changed
 */
public record PrimaryTerm(long epoch, String replicationId) {}
