/**
 * The page of {@code lock top}: consecutive snapshots of the locks, the renewals that they show, and the orders of the locks. Reads no
 * store and knows no terminal.
 */
@NullMarked
package dev.holdfast.lock.cli.top;

import org.jspecify.annotations.NullMarked;
