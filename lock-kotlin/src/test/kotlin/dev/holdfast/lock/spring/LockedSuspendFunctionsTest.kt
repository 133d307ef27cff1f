package dev.holdfast.lock.spring

import dev.holdfast.lock.Lease
import dev.holdfast.lock.LockLostException
import dev.holdfast.lock.LockTimeoutException
import dev.holdfast.lock.Locks
import dev.holdfast.lock.locks.WatchedStore
import dev.holdfast.lock.testing.Await
import dev.holdfast.lock.testing.RandomCancellations
import java.time.Duration
import java.time.InstantSource
import java.util.Properties
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Configuration

/** `@Locked` on suspend functions and on functions that return a `Flow`. */
@Timeout(180)
class LockedSuspendFunctionsTest {

    private val store = WatchedStore(InstantSource.system())
    private val locks = Locks.open(store, Properties())
    private val context = contextOn(locks)
    private val service = context.getBean(Service::class.java)

    @AfterEach
    fun close() = context.close()

    @Test
    fun suspendFunction_onAnyThread_isUnderTheLockUntilItEnds() = runBlocking<Unit> {
        val seen = service.run {
            val first = isBusy()
            withContext(Dispatchers.Default) {
                yield()
                "$first ${isBusy()}"
            }
        }
        assertThat(seen).isEqualTo("true true")
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun suspendFunction_thatFails_releasesTheLock() = runBlocking<Unit> {
        val thrown = runCatching { service.run { error("no") } }.exceptionOrNull()
        assertThat(thrown).isInstanceOf(IllegalStateException::class.java).hasMessage("no")
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun suspendFunction_thatIsCancelled_releasesTheLock() = runBlocking<Unit> {
        val started = CompletableDeferred<Unit>()
        val job = launch {
            service.run {
                started.complete(Unit)
                awaitCancellation()
            }
        }
        started.await()
        assertThat(isBusy()).isTrue()
        job.cancelAndJoin()
        Await.until("the lock is free") { !isBusy() }
    }

    @Test
    fun suspendFunction_cancelledAtAnyPoint_leavesNothingAtTheStore() {
        val coroutines = CoroutineScope(Dispatchers.Default)
        RandomCancellations.runOn { ours ->
            val named = contextOn(ours).getBean(Service::class.java)
            RandomCancellations.Acquiring { lock, held, endless ->
                val job = coroutines.launch { named.named(lock.name(), held, endless) }
                Runnable { job.cancel() }
            }
        }
    }

    @Test
    fun lease_whileTheFunctionRuns_isInTheContextOfItsCoroutine() = runBlocking<Unit> {
        val token = service.run {
            withContext(Dispatchers.Default) { ReactiveCurrentLease.get().awaitSingle().fencingToken() }
        }
        assertThat(token).isPositive()
    }

    @Test
    fun innerFunction_onAnyThread_joinsTheLease() = runBlocking<Unit> {
        val (outer, inner) = service.run {
            val outer = ReactiveCurrentLease.get().awaitSingle().fencingToken()
            withContext(Dispatchers.Default) {
                outer to service.run { ReactiveCurrentLease.get().awaitSingle().fencingToken() }
            }
        }
        assertThat(inner).isEqualTo(outer)
        assertThat(store.acquires("x")).hasSize(1)
        assertThat(isBusy()).isFalse()
    }

    @Test
    fun function_whenBusy_throwsOrSkips() = runBlocking<Unit> {
        val other = locks.named("x").tryAcquire().orElseThrow()
        assertThat(runCatching { service.soon() }.exceptionOrNull()).isInstanceOf(LockTimeoutException::class.java)
        assertThat(service.skipped()).isNull()
        service.skippedUnit { error("the body ran") }
        other.close()
        assertThat(service.skipped()).isEqualTo("done")
    }

    @Test
    fun lease_whenLost_cancelsTheFunctionAndFailsTheCall() = runBlocking<Unit> {
        val received = CompletableDeferred<Lease>()
        val cancelled = CompletableDeferred<Unit>()
        val call = async(Dispatchers.Default) {
            runCatching {
                service.fixed {
                    try {
                        received.complete(ReactiveCurrentLease.get().awaitSingle())
                        awaitCancellation()
                    } finally {
                        cancelled.complete(Unit)
                    }
                }
            }
        }
        val lease = received.await()
        store.end("x")
        assertThatThrownBy { lease.extend(Duration.ofMinutes(1)) }.isInstanceOf(LockLostException::class.java)
        cancelled.await()
        assertThat(call.await().exceptionOrNull()).isInstanceOf(LockLostException::class.java)
    }

    @Test
    fun flow_whileItIsCollected_isUnderTheLock() = runBlocking<Unit> {
        val held = service.plainFlow { isBusy() }
        assertThat(isBusy()).isFalse()
        assertThat(held.toList()).containsExactly(true, true)
        assertThat(held.first()).isTrue()
        assertThat(service.suspendedFlow { isBusy() }.toList()).containsExactly(true, true)
        Await.until("the lock is free") { !isBusy() }
    }

    @Test
    fun function_thatMayBeSkippedButNeverReturnsNull_failsTheStart() {
        assertThatThrownBy { contextOn(locks, Skipping::class.java) }
            .hasStackTraceContaining("onBusy = SKIP needs a result that can be absent")
    }

    @Test
    fun function_thatReturnsAHandleOfItsWork_failsTheStart() {
        assertThatThrownBy { contextOn(locks, Launching::class.java) }
            .hasStackTraceContaining("the end of the work of a Job cannot be observed")
        assertThatThrownBy { contextOn(locks, SuspendedFuture::class.java) }
            .hasStackTraceContaining("a suspend function that returns a CompletableFuture ends before its work is done")
        assertThatThrownBy { contextOn(locks, SuspendedDeferred::class.java) }
            .hasStackTraceContaining("a suspend function that returns a Deferred ends before its work is done")
    }

    private fun isBusy(): Boolean = locks.named("x").tryAcquire().map { !it.release() }.orElse(true)

    private fun contextOn(locks: Locks, type: Class<*> = Service::class.java) =
        AnnotationConfigApplicationContext().apply {
            registerBean(Locks::class.java, Supplier { locks })
            register(Enabled::class.java, type)
            refresh()
        }

    @Configuration(proxyBeanMethods = false)
    @EnableLocks
    open class Enabled

    open class Service {

        @Locked("x")
        open suspend fun <T> run(body: suspend () -> T): T = body()

        @Locked("x", fixedLease = "1m")
        open suspend fun <T> fixed(body: suspend () -> T): T = body()

        @Locked("#{#name}")
        open suspend fun named(name: String, held: Runnable, endless: Boolean) {
            held.run()
            if (endless) awaitCancellation()
        }

        @Locked("x", acquireTimeout = "0s")
        open suspend fun soon(): String = "done"

        @Locked("x", onBusy = OnBusy.SKIP)
        open suspend fun skipped(): String? = "done"

        @Locked("x", onBusy = OnBusy.SKIP)
        open suspend fun skippedUnit(body: () -> Unit) = body()

        @Locked("x")
        open fun plainFlow(body: () -> Boolean): Flow<Boolean> = twice(body)

        @Locked("x")
        open suspend fun suspendedFlow(body: () -> Boolean): Flow<Boolean> = twice(body)

        private fun twice(body: () -> Boolean) = flow {
            emit(body())
            yield()
            emit(body())
        }
    }

    open class Launching {

        @Locked("x")
        open fun work(): Job = Job()
    }

    open class SuspendedFuture {

        @Locked("x")
        open suspend fun work(): CompletableFuture<String> = CompletableFuture()
    }

    open class SuspendedDeferred {

        @Locked("x")
        open suspend fun work(): Deferred<String> = CompletableDeferred()
    }

    open class Skipping {

        @Locked("x", onBusy = OnBusy.SKIP)
        open suspend fun number(): Int = 1
    }
}
