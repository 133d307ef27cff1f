/**
 * The store for SQL databases without functions of Holdfast's. {@code CommandExecutor}, {@code WaiterQueue} and the two rows
 * decide about locks and know no SQL; {@code LockStatements} and {@code statements.sql} are the SQL; {@link
 * dev.holdfast.lock.jdbc.row.Dialect} is what differs between the databases. Knows no database.
 */
@NullMarked
package dev.holdfast.lock.jdbc.row;

import org.jspecify.annotations.NullMarked;
