/** What Holdfast costs by itself: to hold, to wait, to lose a holder, to grow. No other candidate takes part. */
@NullMarked
package dev.holdfast.lock.bench.solo;

import org.jspecify.annotations.NullMarked;
