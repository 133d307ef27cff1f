/**
 * The fence of an SQL database against holders that lost their lease: {@link dev.holdfast.lock.fencing.Fence}. It uses nothing
 * but {@code java.sql} and knows no store: a lease is its name and its fencing token here.
 */
@NullMarked
package dev.holdfast.lock.fencing;

import org.jspecify.annotations.NullMarked;
