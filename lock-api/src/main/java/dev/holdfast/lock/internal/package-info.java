/**
 * The engine: what every store would otherwise repeat. Plain state and explicit transitions; clock, timers, threads and
 * store come in from outside, so that a simulation drives the very same code. Not for applications.
 */
@NullMarked
package dev.holdfast.lock.internal;

import org.jspecify.annotations.NullMarked;
