/** Tests with other versions of Jedis, in separate processes with their own class path. */
package dev.holdfast.lock.redis.compatibility;
