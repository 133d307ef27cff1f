/**
 * The protocol, as one process takes part in it: plain state, told of everything that happens and when, and asked what to do. All
 * input and output, time and threads are outside, so that a simulation drives the very same code. See {@code PROTOCOL.md}.
 */
@NullMarked
package dev.holdfast.lock.composite.regime;

import org.jspecify.annotations.NullMarked;
