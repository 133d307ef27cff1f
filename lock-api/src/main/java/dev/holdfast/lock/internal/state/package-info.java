/**
 * The state of each lock name, and every decision about it: who waits, what the store is asked for, when a lease is renewed, lost or
 * handed on. An event changes the state and asks for actions of its {@link dev.holdfast.lock.internal.state.StateTransition}, which the
 * driver, {@code internal.engine}, carries out. No threads, timers, clocks, stores or logs belong here, so that a simulation runs the
 * very same code.
 */
@NullMarked
package dev.holdfast.lock.internal.state;

import org.jspecify.annotations.NullMarked;
