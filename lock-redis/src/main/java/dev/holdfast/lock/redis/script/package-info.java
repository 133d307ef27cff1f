/**
 * The Lua scripts, their keys, and the commands as calls of them. Nothing here opens a connection or knows which server
 * executes a call.
 */
@NullMarked
package dev.holdfast.lock.redis.script;

import org.jspecify.annotations.NullMarked;
