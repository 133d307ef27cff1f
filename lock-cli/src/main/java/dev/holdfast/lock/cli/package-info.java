/** The command line: what is asked for, which store it means, and what the exit status says. */
@NullMarked
package dev.holdfast.lock.cli;

import org.jspecify.annotations.NullMarked;
