/** Where connections come from, how long they may take, and what their failures mean. */
@NullMarked
package dev.holdfast.lock.redis.connection;

import org.jspecify.annotations.NullMarked;
