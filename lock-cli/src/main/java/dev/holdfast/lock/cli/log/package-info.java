/** What the libraries below have to say, as lines of the command line's own. */
@NullMarked
package dev.holdfast.lock.cli.log;

import org.jspecify.annotations.NullMarked;
