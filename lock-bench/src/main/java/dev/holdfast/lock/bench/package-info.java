/** The benchmark: its command line, which runs all that the other packages measure and report. */
@NullMarked
package dev.holdfast.lock.bench;

import org.jspecify.annotations.NullMarked;
