/** JMH benchmarks of Holdfast itself, on a store that costs nothing. */
@NullMarked
package dev.holdfast.lock.bench.jmh;

import org.jspecify.annotations.NullMarked;
