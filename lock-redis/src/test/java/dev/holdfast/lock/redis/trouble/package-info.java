/** What becomes of locks, of who holds them and of who waits for them when servers and networks fail. */
package dev.holdfast.lock.redis.trouble;
