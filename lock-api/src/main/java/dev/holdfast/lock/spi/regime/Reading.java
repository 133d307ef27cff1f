package dev.holdfast.lock.spi.regime;

/**
 * What the authority answered.
 *
 * @param regime who grants
 * @param members how many processes read it lately, this one included
 * @param suspecting how many of them cannot reach the primary of this epoch
 */
public record Reading(Regime regime, int members, int suspecting) {}
