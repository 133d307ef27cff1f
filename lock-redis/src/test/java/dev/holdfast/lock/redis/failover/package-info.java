/** Locks that are granted on a composite's behalf. */
package dev.holdfast.lock.redis.failover;
