/**
 * Locks on a fast store that may forget, under the authority of a database that does not: the provider {@code composite}. The
 * protocol itself is in {@link dev.holdfast.lock.composite.regime}; here are its threads, its clocks and its stores.
 */
@NullMarked
package dev.holdfast.lock.composite;

import org.jspecify.annotations.NullMarked;
