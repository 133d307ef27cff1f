/** MariaDB and MySQL: their dialect, errors and diagnosis. The locks themselves are {@code jdbc.row}'s. */
@NullMarked
package dev.holdfast.lock.jdbc.mysql;

import org.jspecify.annotations.NullMarked;
