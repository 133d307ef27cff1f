/** The command that runs under the lock: how it starts, hears signals, and ends with all its descendants in time. */
@NullMarked
package dev.holdfast.lock.cli.command;

import org.jspecify.annotations.NullMarked;
