/** What Holdfast costs by itself: to hold, to wait, to die and to grow. Nobody else is asked. */
@NullMarked
package dev.holdfast.lock.bench.alone;

import org.jspecify.annotations.NullMarked;
