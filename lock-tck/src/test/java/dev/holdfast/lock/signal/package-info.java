/** Signals to the processes that tests start. */
@NullMarked
package dev.holdfast.lock.signal;

import org.jspecify.annotations.NullMarked;
