/**
 * Helpers for authors of stores: deadlines, durations, redaction, the text of failures, the queue of a lock, and notifications over
 * one connection. No store has to use it, and the contract does not depend on it.
 */
@NullMarked
package dev.holdfast.lock.spi.support;

import org.jspecify.annotations.NullMarked;
