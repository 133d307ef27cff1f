package dev.holdfast.lock.composite.regime;

/** Whom a duty is carried out with. Of each lane one duty is under way at a time. */
public enum Lane {
    /** The authority. */
    AUTHORITY,
    /** The primary. */
    PRIMARY
}
