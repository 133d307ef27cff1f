/**
 * The contract of a store: the commands of a {@link dev.holdfast.lock.spi.LockStore}, and how its
 * {@link dev.holdfast.lock.spi.LockProvider} is found. No helper code lives here: see {@link dev.holdfast.lock.spi.support}.
 */
@NullMarked
package dev.holdfast.lock.spi;

import org.jspecify.annotations.NullMarked;
