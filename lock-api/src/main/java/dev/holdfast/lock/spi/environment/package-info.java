/**
 * The environment of a process: the providers on its class path, and the name that stores show for it. No settings. Exported to
 * Holdfast's own modules only.
 */
@NullMarked
package dev.holdfast.lock.spi.environment;

import org.jspecify.annotations.NullMarked;
