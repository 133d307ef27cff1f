/** The cost of Holdfast by itself: holding, waiting, losing a holder, growing. No other candidate takes part. */
@NullMarked
package dev.holdfast.lock.bench.solo;

import org.jspecify.annotations.NullMarked;
