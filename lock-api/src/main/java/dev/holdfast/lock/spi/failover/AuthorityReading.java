package dev.holdfast.lock.spi.failover;

/**
 * A reading of the authority.
 *
 * @param state the authority state
 * @param members the number of processes that have recently read it, including this one
 * @param suspecting the number of those that cannot reach the primary of this epoch
 */
public record AuthorityReading(AuthorityState state, int members, int suspecting) {}
