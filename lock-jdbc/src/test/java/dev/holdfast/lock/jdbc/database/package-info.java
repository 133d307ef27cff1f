/** When idle rows are removed. */
package dev.holdfast.lock.jdbc.database;
