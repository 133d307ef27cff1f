/** H2: its dialect, its errors and its diagnosis. The locks themselves are {@code jdbc.row}'s. */
@NullMarked
package dev.holdfast.lock.jdbc.h2;

import org.jspecify.annotations.NullMarked;
