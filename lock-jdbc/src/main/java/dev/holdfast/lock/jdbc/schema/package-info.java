/** The tables: their version and creation. Knows a database by {@link dev.holdfast.lock.jdbc.schema.DatabaseSchema} only. */
@NullMarked
package dev.holdfast.lock.jdbc.schema;

import org.jspecify.annotations.NullMarked;
