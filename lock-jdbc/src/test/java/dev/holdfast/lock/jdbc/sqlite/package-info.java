/** A clock for SQLite. */
package dev.holdfast.lock.jdbc.sqlite;
