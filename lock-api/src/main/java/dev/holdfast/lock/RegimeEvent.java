package dev.holdfast.lock;

import java.time.Duration;

/**
 * Something about who grants, in a composite of two stores.
 *
 * @param kind what happened
 * @param epoch counts the changes; greater for a later one
 * @param cause why, for people
 * @param after for how long it had been otherwise, as this process saw it; of a suspicion, for how long there was no answer
 * @param carriedOver how many leases of this process were carried over into this epoch, or were about to be when the change was
 *     noticed
 */
public record RegimeEvent(Kind kind, long epoch, String cause, Duration after, int carriedOver) {

    /** What may happen. */
    public enum Kind {
        /** This process cannot reach the primary; it goes on granting unless most processes say so. */
        PRIMARY_SUSPECTED,
        /** The primary grants nothing any more, and nobody else does yet; who holds a lock keeps it. */
        PRIMARY_DEPOSED,
        /** The fallback grants. */
        FALLBACK_GRANTS,
        /** What the fallback granted is being copied to the primary; nobody grants meanwhile. */
        RETURNING,
        /** The primary grants. */
        PRIMARY_GRANTS
    }
}
