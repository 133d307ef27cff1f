package dev.holdfast.lock.spi.regime;

import java.time.Duration;
import java.time.Instant;

/**
 * The sentence that the authority keeps: who grants, since which change.
 *
 * @param epoch counts the changes of who grants; from 1. A DRAIN has the epoch of the FALLBACK that follows, a PREPARE that of
 *     the PRIMARY that follows
 * @param mode who grants
 * @param lineage which history of the primary's it is that grants; empty in an epoch in which it does not
 * @param lease for how long an answer that says so may be acted upon
 * @param base below every token that this epoch grants
 * @param falls how often in a row the primary was deposed soon after it had come to power
 * @param cause why it is so, for people
 * @param since when it became so, on the authority's clock, for people
 */
public record Regime(
        long epoch, Mode mode, String lineage, Duration lease, long base, int falls, String cause, Instant since) {

    /** How many tokens a primary may grant in one epoch: from {@code base + 1} on. */
    public static final long TOKENS = 1L << 36;

    /** The primary's power in this epoch. */
    public Reign reign() {
        return new Reign(epoch, lineage);
    }
}
