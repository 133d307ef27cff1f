/** The cost of waiting for locks, in commands and time. */
package dev.holdfast.lock.redis.waiting;
