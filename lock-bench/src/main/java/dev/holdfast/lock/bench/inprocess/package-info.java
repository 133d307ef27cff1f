/** What Holdfast itself costs, on a store that costs nothing: measured by JMH. */
@NullMarked
package dev.holdfast.lock.bench.inprocess;

import org.jspecify.annotations.NullMarked;
