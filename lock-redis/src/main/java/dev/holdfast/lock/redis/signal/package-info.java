/** How whoever waits is told that it may be its turn. */
@NullMarked
package dev.holdfast.lock.redis.signal;

import org.jspecify.annotations.NullMarked;
