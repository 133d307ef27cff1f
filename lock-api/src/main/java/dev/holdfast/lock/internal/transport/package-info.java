/**
 * The transport of commands to a store: on the thread of the caller, or in batches on a few threads. No lock state lives here.
 */
@NullMarked
package dev.holdfast.lock.internal.transport;

import org.jspecify.annotations.NullMarked;
