/** The code blocks of the documents. */
package dev.holdfast.lock.documents

import dev.holdfast.lock.Locks
import dev.holdfast.lock.kotlin.awaitLease
import dev.holdfast.lock.kotlin.awaitLeaseOrNull
import dev.holdfast.lock.kotlin.use
import dev.holdfast.lock.kotlin.withLock
import java.time.Duration
import java.util.Properties
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test

private val locks = Locks.open(Properties().apply { setProperty("lock.provider", "memory") })
private val payments = Payments()

data class Receipt(val id: Long, val token: Long)

class Payments {
    fun pay(id: Long, token: Long) = Receipt(id, token)
}

suspend fun pay(id: Long): Receipt =
    locks.named("invoice:$id").withLock { lease ->               // suspends until the lock is granted
        payments.pay(id, lease.fencingToken())
    }

suspend fun payOrGiveUp(id: Long): Receipt? =
    locks.named("invoice:$id").awaitLeaseOrNull(5.seconds)?.use { lease ->
        payments.pay(id, lease.fencingToken())
    }

suspend fun book(): Long {
    val lease = locks.named("report").withFixedLease(Duration.ofMinutes(10)).awaitLease()
    return lease.use { it.fencingToken() }
}

class KotlinBlocksTest {

    @Test
    fun blocks_whenCalled_runUnderTheirLock() = runBlocking<Unit> {
        assertThat(pay(42).token).isPositive()
        assertThat(payOrGiveUp(42)!!.token).isGreaterThan(pay(43).id)
        assertThat(book()).isPositive()
    }

    companion object {
        @AfterAll
        @JvmStatic
        fun close() = locks.close()
    }
}
