/** Connections: their origin, their time limits, and the meaning of their errors. Knows nothing of locks. */
@NullMarked
package dev.holdfast.lock.jdbc.pool;

import org.jspecify.annotations.NullMarked;
