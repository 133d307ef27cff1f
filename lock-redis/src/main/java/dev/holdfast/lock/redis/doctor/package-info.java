/**
 * What operators and the opening of a store ask of the servers: requirements, permissions, diagnostics, the health of a
 * composite's primary, and the listing of locks. Nothing here changes a lock.
 */
@NullMarked
package dev.holdfast.lock.redis.doctor;

import org.jspecify.annotations.NullMarked;
