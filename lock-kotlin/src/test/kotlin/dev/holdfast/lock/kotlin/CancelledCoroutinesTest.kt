package dev.holdfast.lock.kotlin

import dev.holdfast.lock.testing.RandomCancellations
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** A coroutine that is cancelled at any point leaves neither a lock nor a place in the queue. */
@Timeout(180)
class CancelledCoroutinesTest {

    @Test
    fun withLock_whenCancelledAtAnyPoint_leavesNothingAtTheStore() = cancelled(Dispatchers.Default)

    @Test
    fun withLock_onAnyThread_whenCancelledAtAnyPoint_leavesNothingAtTheStore() = cancelled(Dispatchers.Unconfined)

    private fun cancelled(dispatcher: CoroutineDispatcher) {
        val coroutines = CoroutineScope(dispatcher)
        RandomCancellations.run { lock, held, endless ->
            val job = coroutines.launch {
                lock.withLock {
                    held.run()
                    if (endless) awaitCancellation()
                }
            }
            Runnable { job.cancel() }
        }
    }

    /** A lease that arrives during the cancellation reaches no coroutine. */
    @Test
    fun awaitLease_whenCancelledAtAnyPoint_leavesNothingAtTheStore() {
        val coroutines = CoroutineScope(Dispatchers.Default)
        RandomCancellations.run { lock, held, _ ->
            val job = coroutines.launch {
                val lease = lock.awaitLease()
                held.run()
                lease.releaseAsync()
            }
            Runnable { job.cancel() }
        }
    }
}
