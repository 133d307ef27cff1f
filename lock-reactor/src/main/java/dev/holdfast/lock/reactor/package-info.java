/** Locks around Reactor's publishers: acquired without blocking a thread, released on completion, failure and cancellation. */
@NullMarked
package dev.holdfast.lock.reactor;

import org.jspecify.annotations.NullMarked;
