/** What runs in processes of its own, whose class path has another version of the client library. */
package dev.holdfast.lock.redis.older;
