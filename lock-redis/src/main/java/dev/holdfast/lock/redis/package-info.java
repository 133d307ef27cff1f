/** Locks in Redis: the provider {@code redis}, and a store on the application's own client. */
@NullMarked
package dev.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;
