/**
 * Runs the command under the lock and ends it, with all its descendants, before the lease can end. Knows leases, processes and
 * signals; knows nothing of command-line options, exit statuses of {@code lock} itself, or output.
 */
@NullMarked
package dev.holdfast.lock.cli.process;

import org.jspecify.annotations.NullMarked;
