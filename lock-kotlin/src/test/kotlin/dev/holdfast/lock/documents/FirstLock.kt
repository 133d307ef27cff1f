package dev.holdfast.lock.documents.start

import dev.holdfast.lock.Locks
import dev.holdfast.lock.kotlin.withLock
import kotlinx.coroutines.runBlocking

fun main() = runBlocking {
    Locks.open().use { locks ->
        locks.named("report").withLock { lease ->
            println("the report is ours: ${lease.state()}")
        }
    }
}
