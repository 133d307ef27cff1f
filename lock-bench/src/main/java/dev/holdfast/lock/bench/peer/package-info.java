/** Holdfast and its alternatives behind one interface. Their measurement lives elsewhere. */
@NullMarked
package dev.holdfast.lock.bench.peer;

import org.jspecify.annotations.NullMarked;
