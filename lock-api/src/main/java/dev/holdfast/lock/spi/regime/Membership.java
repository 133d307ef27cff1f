package dev.holdfast.lock.spi.regime;

import dev.holdfast.lock.spi.AcquisitionId;

/**
 * One process among those who share a regime.
 *
 * @param id which, by random bits
 * @param owner what it says of itself, for people
 * @param suspected the epoch whose primary it cannot reach; 0 for none
 */
public record Membership(AcquisitionId id, String owner, long suspected) {}
