/**
 * What the composite needs of the stores it is made of, beyond the steps: one is the authority that says who grants, the
 * other grants on its behalf. Exported to Holdfast's own modules only: whoever implements this takes part in a protocol, which
 * {@code lock-composite/PROTOCOL.md} describes.
 */
@NullMarked
package dev.holdfast.lock.spi.regime;

import org.jspecify.annotations.NullMarked;
