/** Classes that the driver of PostgreSQL instantiates by name. Exported to the driver alone. */
@NullMarked
package dev.holdfast.lock.jdbc.postgresql.driver;

import org.jspecify.annotations.NullMarked;
