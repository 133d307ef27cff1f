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
 * The lock is released when the body ends, fails or is cancelled, and this function returns after the release, for which the store is
 * waited for up to ten seconds if it is silent. *Cancelling* the coroutine while it waits for the lock withdraws the request: it then
 * does not acquire the lock, now or later.
 *
 * *If the lease is lost*, the body is cancelled, and this function throws [LockLostException]. It does so too if the body ends
 * normally all the same.
 *
 * @throws LockTimeoutException if the lock was busy for all of `lock.acquire-timeout`; the body is then never run
 * @throws LockUnavailableException if the store did not answer; the body is then never run
 * @throws IllegalStateException if the locks are closed
 */
public suspend fun <T> DistributedLock.withLock(body: suspend CoroutineScope.(Lease) -> T): T = awaitLease().use(body)

/**
 * As [withLock] without a time, after waiting for this long at most.
 *
 * @param wait zero (one attempt) or longer
 */
public suspend fun <T> DistributedLock.withLock(wait: Duration, body: suspend CoroutineScope.(Lease) -> T): T =
    awaitLease(wait).use(body)

/**
 * Waits as [DistributedLock.acquire] does, but suspends instead of blocking a thread. The caller releases the lease, best by [use]. A
 * coroutine that is cancelled while it waits does not acquire the lock, now or later. In between, a lease is lost from sight where a
 * cancelled coroutine drops a result, as at the end of `withContext`; [withLock] has no such place.
 *
 * @throws LockTimeoutException if the lock was busy for all of `lock.acquire-timeout`
 * @throws LockUnavailableException if the store did not answer
 * @throws IllegalStateException if the locks are closed
 */
public suspend fun DistributedLock.awaitLease(): Lease = acquireAsync().awaitLease()

/**
 * As [awaitLease] without a time, for this long at most.
 *
 * @param wait zero (one attempt) or longer
 */
public suspend fun DistributedLock.awaitLease(wait: Duration): Lease = acquireAsync(wait.toJavaDuration()).awaitLease()

/** As [awaitLease]; null if the lock was busy for all of that time. */
public suspend fun DistributedLock.awaitLeaseOrNull(wait: Duration): Lease? =
    try {
        awaitLease(wait)
    } catch (_: LockTimeoutException) {
        null
    }

/**
 * Runs the [body] while these locks are held, and releases them without blocking a thread, as [withLock] does. This function has to be
 * imported: otherwise `use` is that of Kotlin's library, which blocks the thread for the release.
 */
public suspend fun <L : HeldLocks, T> L.use(body: suspend CoroutineScope.(L) -> T): T {
    val locks = this
    try {
        return coroutineScope {
            val held = CompletableDeferred<Unit>(coroutineContext.job) // its failure cancels the scope
            locks.onLost { held.completeExceptionally(it) }
            val result = coroutineScope { body(locks) } // with all that it launches
            locks.ensureHeld()
            held.complete(Unit)
            result
        }
    } finally {
        // As for close(): an unanswered release is logged and repeated, and is not a failure of the body.
        withContext(NonCancellable) { locks.releaseAsync().handle { _, _ -> }.await() }
    }
}

/**
 * Not the library's `await`: it drops a result that arrives together with a cancellation. A lease that is dropped was of no use, and
 * keeps the lock for no minimum.
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
