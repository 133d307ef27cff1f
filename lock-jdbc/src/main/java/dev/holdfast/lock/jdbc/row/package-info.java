/**
 * The store for SQL databases without Holdfast's functions. {@code CommandExecutor}, {@code WaiterQueue} and the two rows
 * decide about locks and know no SQL; {@code LockStatements} and {@code statements.sql} are the SQL; {@link
 * dev.holdfast.lock.jdbc.row.Dialect} has the differences between the databases. Knows no database.
 */
@NullMarked
package dev.holdfast.lock.jdbc.row;

import org.jspecify.annotations.NullMarked;
