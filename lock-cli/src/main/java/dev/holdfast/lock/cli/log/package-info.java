/**
 * Log output of the libraries in {@code lock}, as messages on standard error. Found by SLF4J through the service loader; no other
 * package uses it.
 */
@NullMarked
package dev.holdfast.lock.cli.log;

import org.jspecify.annotations.NullMarked;
