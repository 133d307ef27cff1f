/** Faults of both stores and of processes: each lock has one holder at a time. */
package dev.holdfast.lock.composite.faults;
