/** Real Redis servers for tests, of this module and of others: on ports of the loopback, gone with the JVM. */
package dev.holdfast.lock.redis.testserver;
