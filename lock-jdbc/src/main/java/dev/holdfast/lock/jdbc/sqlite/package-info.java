/** SQLite: its dialect, its file, its errors and its diagnosis. The locks themselves are {@code jdbc.row}'s. */
@NullMarked
package dev.holdfast.lock.jdbc.sqlite;

import org.jspecify.annotations.NullMarked;
