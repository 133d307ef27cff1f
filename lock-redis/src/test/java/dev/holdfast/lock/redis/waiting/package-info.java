/** Waiting for locks in Redis: what it costs the server, and how long it takes beside other locks. */
package dev.holdfast.lock.redis.waiting;
