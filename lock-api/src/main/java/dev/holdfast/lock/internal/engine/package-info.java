/**
 * Drives the {@linkplain dev.holdfast.lock.internal.state state} of each name: tells it what happens, and carries out what it asks for.
 * Timers, commands, callbacks, listeners and the lines for operators are here; clock, threads and store come in from outside, so that a
 * simulation drives the same code. No decision about a lock is made here.
 */
@NullMarked
package dev.holdfast.lock.internal.engine;

import org.jspecify.annotations.NullMarked;
