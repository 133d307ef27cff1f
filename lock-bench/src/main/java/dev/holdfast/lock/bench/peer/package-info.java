/** Holdfast and its alternatives behind one interface. How they are measured lives elsewhere. */
@NullMarked
package dev.holdfast.lock.bench.peer;

import org.jspecify.annotations.NullMarked;
