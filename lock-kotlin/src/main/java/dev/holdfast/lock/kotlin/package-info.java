/** Locks in Kotlin's coroutines: acquired by suspending, released when the body ends, fails or is cancelled. */
@NullMarked
package dev.holdfast.lock.kotlin;

import org.jspecify.annotations.NullMarked;
