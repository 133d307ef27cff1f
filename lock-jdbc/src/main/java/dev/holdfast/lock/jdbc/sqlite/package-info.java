/**
 * SQLite: a batch of commands is one transaction. {@code CommandExecutor}, {@code WaiterQueue} and the two rows decide about locks
 * and know nothing of SQLite; {@code LockStatements} and {@code statements.sql} are its SQL.
 */
@NullMarked
package dev.holdfast.lock.jdbc.sqlite;

import org.jspecify.annotations.NullMarked;
