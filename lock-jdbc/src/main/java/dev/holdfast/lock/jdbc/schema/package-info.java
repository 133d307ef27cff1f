/** The tables: their version and creation. Knows a database only as a {@link dev.holdfast.lock.jdbc.schema.DatabaseSchema}. */
@NullMarked
package dev.holdfast.lock.jdbc.schema;

import org.jspecify.annotations.NullMarked;
