/** SQLite: one immediate transaction per batch. */
@NullMarked
package dev.holdfast.lock.jdbc.sqlite;

import org.jspecify.annotations.NullMarked;
