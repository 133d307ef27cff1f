/** What only Holdfast is asked: what it costs to hold, to wait, to die and to grow. */
@NullMarked
package dev.holdfast.lock.bench.scenario;

import org.jspecify.annotations.NullMarked;
