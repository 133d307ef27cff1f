/**
 * The tables: their version and creation, and what reading and writing them has in common in every kind of database. Knows the
 * interface {@link dev.holdfast.lock.jdbc.schema.Database}, and no implementation of it.
 */
@NullMarked
package dev.holdfast.lock.jdbc.schema;

import org.jspecify.annotations.NullMarked;
