/** The kit: the promises of a store as tests, which run against any provider. */
@NullMarked
package dev.holdfast.lock.tck;

import org.jspecify.annotations.NullMarked;
