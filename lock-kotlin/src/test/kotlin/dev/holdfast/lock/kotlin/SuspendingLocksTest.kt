package dev.holdfast.lock.kotlin

import dev.holdfast.lock.Lease
import dev.holdfast.lock.LockLostException
import dev.holdfast.lock.LockTimeoutException
import dev.holdfast.lock.LockUnavailableException
import dev.holdfast.lock.Locks
import dev.holdfast.lock.locks.WatchedStore
import dev.holdfast.lock.testing.Await
import java.time.Duration
import java.time.InstantSource
import java.util.Properties
import kotlin.time.Duration.Companion.ZERO
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** The lock while a coroutine runs under it, and afterwards. */
@Timeout(180)
class SuspendingLocksTest {

    private val store = WatchedStore(InstantSource.system())
    private val locks = Locks.open(store, Properties())
    private val lock = locks.named("job")
    private val fixed = lock.withFixedLease(Duration.ofMinutes(1))

    @AfterEach
    fun close() = locks.close()

    @Test
    fun withLock_whileTheBodyRuns_holdsTheLockOnAnyThread() = runBlocking<Unit> {
        val result = lock.withLock { lease ->
            val first = isBusy()
            withContext(Dispatchers.Default) {
                yield()
                "$first ${isBusy()} ${lease.state()}"
            }
        }
        assertThat(result).isEqualTo("true true HELD")
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun withLock_ofManyCoroutinesOnOneThread_blocksNone() = runBlocking<Unit> {
        var inside = 0
        val coroutines = List(100) {
            launch {
                lock.withLock {
                    inside++
                    yield()
                    assertThat(inside--).isEqualTo(1)
                }
            }
        }
        coroutines.joinAll()
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun withLock_whenTheBodyFails_releasesAndThrowsTheSameException() = runBlocking<Unit> {
        val thrown = thrownBy<IllegalStateException> { lock.withLock { error("no") } }
        assertThat(thrown).hasMessage("no")
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun withLock_whenCancelled_keepsTheLockUntilTheBodyHasEnded() = runBlocking<Unit> {
        val started = CompletableDeferred<Unit>()
        val busy = CompletableDeferred<Boolean>()
        val job = launch {
            lock.withLock {
                try {
                    started.complete(Unit)
                    awaitCancellation()
                } finally {
                    withContext(NonCancellable) {
                        yield()
                        busy.complete(isBusy())
                    }
                }
            }
        }
        started.await()
        job.cancelAndJoin()
        assertThat(busy.await()).isTrue()
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun withLock_whenItsScopeLaunchesACoroutine_holdsTheLockUntilThatHasEnded() = runBlocking<Unit> {
        val end = CompletableDeferred<Unit>()
        val launched = CompletableDeferred<Unit>()
        val holding = launch {
            lock.withLock {
                launch { end.await() }
                launched.complete(Unit)
            }
        }
        launched.await()
        assertThat(isBusy()).isTrue()
        end.complete(Unit)
        holding.join()
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun withLock_whenBusyForTheWholeWait_failsWithoutRunningTheBody() = runBlocking<Unit> {
        lock.tryAcquire().orElseThrow().use {
            thrownBy<LockTimeoutException> { lock.withLock(ZERO) { error("the body ran") } }
            assertThat(lock.awaitLeaseOrNull(ZERO)).isNull()
        }
        lock.awaitLeaseOrNull(ZERO)!!.use { assertThat(isBusy()).isTrue() }
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun withLock_whenTheStoreDoesNotAnswer_failsAsUnavailable() = runBlocking<Unit> {
        store.cut("job")
        thrownBy<LockUnavailableException> { lock.withLock(ZERO) { error("the body ran") } }
    }

    @Test
    fun withLock_whenTheReleaseIsNeverAnswered_returnsTheResultOfTheBody() = runBlocking<Unit> {
        val result = async(Dispatchers.Default) {
            lock.withLock {
                store.cut("job")
                "done"
            }
        }
        Await.until("the release is sent") { store.releases("job") > 0 }
        locks.close() // gives up on the release
        assertThat(result.await()).isEqualTo("done")
    }

    @Test
    fun withLock_whenTheLeaseIsLost_cancelsTheBodyAndFails() = runBlocking<Unit> {
        val cancelled = CompletableDeferred<Unit>()
        thrownBy<LockLostException> {
            fixed.withLock { lease ->
                launch {
                    try {
                        awaitCancellation()
                    } finally {
                        cancelled.complete(Unit)
                    }
                }
                yield()
                withContext(Dispatchers.IO) { lose(lease) }
                awaitCancellation()
            }
        }
        cancelled.await()
    }

    @Test
    fun withLock_whenTheLeaseIsLostAndTheBodyStillEndsNormally_fails() = runBlocking<Unit> {
        thrownBy<LockLostException> {
            val result = fixed.withLock { lease ->
                lose(lease)
                "done"
            }
            error("returned $result")
        }
    }

    @Test
    fun use_ofAGroup_holdsAllItsLocks() = runBlocking<Unit> {
        val group = locks.acquireAll(listOf("job", "other"))
        group.use { assertThat(isBusy()).isTrue() }
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun withLock_ofReadersAndPermits_runsBesideCompatibleOnes() = runBlocking<Unit> {
        val readers = lock.shared()
        assertThat(readers.withLock { readers.withLock(ZERO) { "both" } }).isEqualTo("both")
        thrownBy<LockTimeoutException> { readers.withLock { lock.withLock(ZERO) { error("the body ran") } } }

        val permits = locks.semaphore("gpu", 3)
        assertThat(permits.permits(2).withLock { permits.permits(1).withLock(ZERO) { "fits" } }).isEqualTo("fits")
        thrownBy<LockTimeoutException> { permits.permits(2).withLock { permits.permits(2).withLock(ZERO) { } } }
    }

    /** The store ends the lease, and the process learns of it. */
    private fun lose(lease: Lease) {
        store.end("job")
        assertThrows(LockLostException::class.java) { lease.extend(Duration.ofMinutes(1)) }
    }

    private fun isBusy(): Boolean = lock.tryAcquire().map { !it.release() }.orElse(true)

    private suspend inline fun <reified E : Throwable> thrownBy(crossinline call: suspend () -> Unit): E {
        val thrown = runCatching { call() }.exceptionOrNull()
        assertThat(thrown).isInstanceOf(E::class.java)
        return thrown as E
    }
}
