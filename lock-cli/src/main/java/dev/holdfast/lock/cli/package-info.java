/**
 * The command line: the subcommands and their options, the store they use, and the exit status. Starts and ends processes
 * through {@code process}, and writes through {@code output}.
 */
@NullMarked
package dev.holdfast.lock.cli;

import org.jspecify.annotations.NullMarked;
