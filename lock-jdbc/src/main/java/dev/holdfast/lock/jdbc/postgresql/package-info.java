/** PostgreSQL: a batch of commands is one call of one function. The only package that knows PostgreSQL and its driver. */
@NullMarked
package dev.holdfast.lock.jdbc.postgresql;

import org.jspecify.annotations.NullMarked;
