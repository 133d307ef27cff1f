/**
 * The common parts of the stores on all kinds of databases: the interface {@link dev.holdfast.lock.jdbc.database.Database},
 * retries of batches, listings of locks, and the removal of idle rows. Knows no implementation of that interface.
 */
@NullMarked
package dev.holdfast.lock.jdbc.database;

import org.jspecify.annotations.NullMarked;
