/** A network that fails on demand. */
@NullMarked
package dev.holdfast.lock.tck.faults;

import org.jspecify.annotations.NullMarked;
