/**
 * Metrics of locks for Micrometer, from the events of a {@link dev.holdfast.lock.LockListener} alone. Nothing else of Holdfast
 * needs Micrometer.
 */
@NullMarked
package dev.holdfast.lock.spring.micrometer;

import org.jspecify.annotations.NullMarked;
