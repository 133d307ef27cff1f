/** Locks in coroutines of Kotlin: acquired by suspending, released when the coroutine ends, fails or is cancelled. */
@NullMarked
package dev.holdfast.lock.kotlin;

import org.jspecify.annotations.NullMarked;
