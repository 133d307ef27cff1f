@file:JvmName("SuspendingLocks")

package dev.holdfast.lock.kotlin

import dev.holdfast.lock.DistributedLock
import dev.holdfast.lock.HeldLocks
import dev.holdfast.lock.Lease
import dev.holdfast.lock.LockLostException
import dev.holdfast.lock.LockTimeoutException
import dev.holdfast.lock.LockUnavailableException
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.resumeWithException
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.future.await
import kotlinx.coroutines.job
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext

/**
 * Runs the [body] while holding the lock; waits as [DistributedLock.acquire] does, but suspends instead of blocking a thread. The body
 * may change threads. Coroutines that it launches in its scope are part of it.
 *
 * The lock is released when the body ends, fails or is cancelled. This function returns after the release, which a silent store delays
 * by ten seconds at most. *Cancelling* the coroutine while it waits for the lock withdraws the request: it then does not acquire the
 * lock, now or later.
 *
 * *If the lease is lost*, the body is cancelled, and this function throws [LockLostException] once the body has ended, even if it ended
 * normally.
 *
 * @throws LockTimeoutException if the lock was busy for all of `lock.acquire-timeout`; the body is then never run
 * @throws LockUnavailableException if the store did not answer; the body is then never run
 * @throws IllegalStateException if the locks are closed
 */
public suspend fun <T> DistributedLock.withLock(body: suspend CoroutineScope.(Lease) -> T): T = awaitLease().use(body)

/**
 * As [withLock] without a time, but waits for this long at most.
 *
 * @param wait zero (one attempt) or longer
 * @throws IllegalArgumentException if [wait] is negative
 */
public suspend fun <T> DistributedLock.withLock(wait: Duration, body: suspend CoroutineScope.(Lease) -> T): T =
    awaitLease(wait).use(body)

/**
 * Waits as [DistributedLock.acquire] does, but suspends instead of blocking a thread. The caller must release the lease, preferably with
 * [use]. A coroutine that is cancelled while it waits does not acquire the lock, now or later.
 *
 * Do not return the lease from `withContext`, `async` or the like: they drop their result if the coroutine is cancelled at that instant,
 * and a lease that is dropped is renewed for as long as the process lives. [withLock] never drops it.
 *
 * @throws LockTimeoutException if the lock was busy for all of `lock.acquire-timeout`
 * @throws LockUnavailableException if the store did not answer
 * @throws IllegalStateException if the locks are closed
 */
public suspend fun DistributedLock.awaitLease(): Lease = acquireAsync().awaitLease()

/**
 * As [awaitLease] without a time, but waits for this long at most.
 *
 * @param wait zero (one attempt) or longer
 * @throws IllegalArgumentException if [wait] is negative
 */
public suspend fun DistributedLock.awaitLease(wait: Duration): Lease = acquireAsync(wait.toJavaDuration()).awaitLease()

/** As [awaitLease] with a time; null if the lock was busy for all of it. */
public suspend fun DistributedLock.awaitLeaseOrNull(wait: Duration): Lease? =
    try {
        awaitLease(wait)
    } catch (_: LockTimeoutException) {
        null
    }

/**
 * Runs the [body] while these locks are held, and then releases them without blocking a thread, as [withLock] does. Import this function:
 * without the import, `use` is the one of Kotlin's standard library, which blocks the thread during the release.
 *
 * @throws LockLostException if the locks were lost before the body ended
 */
public suspend fun <L : HeldLocks, T> L.use(body: suspend CoroutineScope.(L) -> T): T {
    val locks = this
    try {
        return coroutineScope {
            val held = CompletableDeferred<Unit>(coroutineContext.job) // its failure cancels the scope
            locks.onLost { held.completeExceptionally(it) }
            val result = coroutineScope { body(locks) } // and all coroutines that it launches
            locks.ensureHeld()
            held.complete(Unit)
            result
        }
    } finally {
        // As close() does: an unanswered release is logged and repeated, and does not fail the result.
        withContext(NonCancellable) { locks.releaseAsync().handle { _, _ -> }.await() }
    }
}

/**
 * Not the library's `await`, which drops a result that arrives together with a cancellation. Here such a lease is released; as it was
 * never used, its minimum hold is dropped.
 */
private suspend fun CompletableFuture<Lease>.awaitLease(): Lease = suspendCancellableCoroutine { waiting ->
    waiting.invokeOnCancellation { cancel(false) }
    whenComplete { lease, failure ->
        if (failure != null) {
            waiting.resumeWithException(failure)
        } else {
            waiting.resume(lease) { _, _, _ ->
                thenCompose {
                    it.holdAtLeast(java.time.Duration.ZERO)
                    it.releaseAsync()
                }
            }
        }
    }
}
