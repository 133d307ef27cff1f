/**
 * The store's side: what a {@link dev.holdfast.lock.spi.LockStore} promises, step by step, and how a
 * {@link dev.holdfast.lock.spi.LockProvider} is found.
 */
@NullMarked
package dev.holdfast.lock.spi;

import org.jspecify.annotations.NullMarked;
