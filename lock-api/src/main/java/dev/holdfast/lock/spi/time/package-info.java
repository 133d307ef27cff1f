/**
 * Instants on the two clocks of a process, and the clock that reads them. No thread, timer or store lives here. Exported to
 * Holdfast's own modules only: the public API and the contract of a store have durations.
 */
@NullMarked
package dev.holdfast.lock.spi.time;

import org.jspecify.annotations.NullMarked;
