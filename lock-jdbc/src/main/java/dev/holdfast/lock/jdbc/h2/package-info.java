/** H2: its dialect, its errors and its diagnosis. {@code jdbc.row} has the locks themselves. */
@NullMarked
package dev.holdfast.lock.jdbc.h2;

import org.jspecify.annotations.NullMarked;
