/** The application's side: open a {@link Locks}, name a lock, hold a lease. */
@NullMarked
package dev.holdfast.lock;

import org.jspecify.annotations.NullMarked;
