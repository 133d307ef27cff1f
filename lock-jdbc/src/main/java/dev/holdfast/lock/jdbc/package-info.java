/** Locks in a SQL database: the provider {@code jdbc}, and a store on the application's own data source. */
@NullMarked
package dev.holdfast.lock.jdbc;

import org.jspecify.annotations.NullMarked;
