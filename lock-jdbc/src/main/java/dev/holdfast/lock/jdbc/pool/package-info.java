/** Connections: where they come from, how long they may take, and the meaning of their errors. Knows nothing of locks. */
@NullMarked
package dev.holdfast.lock.jdbc.pool;

import org.jspecify.annotations.NullMarked;
