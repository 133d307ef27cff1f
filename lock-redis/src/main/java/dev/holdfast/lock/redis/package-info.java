/**
 * Locks in Redis or Valkey: the provider {@code redis}, and a store on the application's own client. Connections, scripts and
 * diagnostics are in the packages below.
 */
@NullMarked
package dev.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;
