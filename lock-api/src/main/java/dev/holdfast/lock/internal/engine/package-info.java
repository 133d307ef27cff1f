/**
 * The state machine of each lock name: events in, actions out. Clock, timers, threads and store come in from outside, so that a
 * simulation drives the same code; nothing here blocks or starts a thread.
 */
@NullMarked
package dev.holdfast.lock.internal.engine;

import org.jspecify.annotations.NullMarked;
