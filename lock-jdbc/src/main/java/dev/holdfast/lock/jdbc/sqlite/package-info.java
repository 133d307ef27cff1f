/** SQLite: its dialect, its file, its errors and its diagnosis. {@code jdbc.row} has the locks themselves. */
@NullMarked
package dev.holdfast.lock.jdbc.sqlite;

import org.jspecify.annotations.NullMarked;
