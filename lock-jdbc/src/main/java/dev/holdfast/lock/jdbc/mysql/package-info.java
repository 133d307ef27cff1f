/** MariaDB and MySQL: their dialect, errors and diagnosis. {@code jdbc.row} has the locks themselves. */
@NullMarked
package dev.holdfast.lock.jdbc.mysql;

import org.jspecify.annotations.NullMarked;
