/**
 * The questions of operators, and of the opening of a store, to the servers: requirements, permissions, diagnostics, the health
 * of a composite's primary, and the listing of locks. Nothing here changes a lock.
 */
@NullMarked
package dev.holdfast.lock.redis.doctor;

import org.jspecify.annotations.NullMarked;
