/**
 * What the stores on all kinds of databases share: the interface {@link dev.holdfast.lock.jdbc.database.Database}, and how batches
 * are retried, locks listed and idle rows removed. Knows no implementation of that interface.
 */
@NullMarked
package dev.holdfast.lock.jdbc.database;

import org.jspecify.annotations.NullMarked;
