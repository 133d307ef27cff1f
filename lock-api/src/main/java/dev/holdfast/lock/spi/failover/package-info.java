/**
 * What a composite requires of its two stores beyond {@link dev.holdfast.lock.spi.LockStore}: the authority records which store
 * grants, and the primary grants on its behalf. Exported to Holdfast's own modules only, as an implementation takes part in the
 * protocol of {@code lock-composite/PROTOCOL.md}.
 */
@NullMarked
package dev.holdfast.lock.spi.failover;

import org.jspecify.annotations.NullMarked;
