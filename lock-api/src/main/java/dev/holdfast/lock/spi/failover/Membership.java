package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.spi.AcquisitionId;

/**
 * One process among the members of a composite.
 *
 * @param id random bits that identify the process
 * @param owner a description of the process, for people
 * @param suspectedEpoch the epoch whose primary the process cannot reach; 0 for none
 */
public record Membership(AcquisitionId id, String owner, long suspectedEpoch) {}
