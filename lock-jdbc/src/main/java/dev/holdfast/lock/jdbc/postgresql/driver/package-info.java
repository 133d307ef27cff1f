/** What the driver of PostgreSQL makes of ours, by its name. Open to the driver alone. */
@NullMarked
package dev.holdfast.lock.jdbc.postgresql.driver;

import org.jspecify.annotations.NullMarked;
