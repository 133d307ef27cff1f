package dev.holdfast.lock.spi.regime;

/** Who grants, in a regime. */
public enum Mode {
    /** The primary does. */
    PRIMARY,
    /** Nobody does: the primary is deposed, and whoever holds a lock of it asserts that at the authority. */
    DRAIN,
    /** The authority itself does. */
    FALLBACK,
    /** Nobody does: the authority's grants are being copied to the primary. */
    PREPARE
}
