/** The terminal of an interactive subcommand: its keys, its size, and what it shows. Knows nothing of locks. */
@NullMarked
package dev.holdfast.lock.cli.terminal;

import org.jspecify.annotations.NullMarked;
