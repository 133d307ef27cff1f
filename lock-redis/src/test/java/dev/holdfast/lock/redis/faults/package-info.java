/** Locks, holders and waiters under failures of servers and networks. */
package dev.holdfast.lock.redis.faults;
