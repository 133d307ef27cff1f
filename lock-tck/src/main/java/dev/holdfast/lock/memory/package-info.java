/** The reference store: the contract of a store in the fewest lines, for tests and for reading. */
@NullMarked
package dev.holdfast.lock.memory;

import org.jspecify.annotations.NullMarked;
