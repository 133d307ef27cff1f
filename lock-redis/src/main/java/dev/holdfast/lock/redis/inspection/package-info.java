/** Who holds what, for people. */
@NullMarked
package dev.holdfast.lock.redis.inspection;

import org.jspecify.annotations.NullMarked;
