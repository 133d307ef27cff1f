/** What a kind of database has to bring, and how its tables are made and checked. */
@NullMarked
package dev.holdfast.lock.jdbc.database;

import org.jspecify.annotations.NullMarked;
