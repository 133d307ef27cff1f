/** The application's API: open {@link dev.holdfast.lock.Locks}, name a lock, hold a lease. No store and no SPI type lives here. */
@NullMarked
package dev.holdfast.lock;

import org.jspecify.annotations.NullMarked;
