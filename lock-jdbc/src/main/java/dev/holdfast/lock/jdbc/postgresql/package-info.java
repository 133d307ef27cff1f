/** PostgreSQL: one call of one function per batch. */
@NullMarked
package dev.holdfast.lock.jdbc.postgresql;

import org.jspecify.annotations.NullMarked;
