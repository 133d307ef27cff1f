/**
 * Timers, threads, the waits of threads, and the detection of a suspended machine. Nothing here knows of locks or stores.
 */
@NullMarked
package dev.holdfast.lock.internal.time;

import org.jspecify.annotations.NullMarked;
