/** The steps as scripts that the server carries out: what they are called with, and what they answer. */
@NullMarked
package dev.holdfast.lock.redis.script;

import org.jspecify.annotations.NullMarked;
