/** Locks around publishers of Reactor: acquired without a thread, released when they complete, fail or are cancelled. */
@NullMarked
package dev.holdfast.lock.reactor;

import org.jspecify.annotations.NullMarked;
