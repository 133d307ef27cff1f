package com.example.reports

import dev.holdfast.lock.LockTimeoutException
import dev.holdfast.lock.Locks
import dev.holdfast.lock.junit.LocksExtension
import dev.holdfast.lock.junit.TestLocks
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith

@ExtendWith(LocksExtension::class)
class ReportsTest {

    @Test
    fun write_whenTheLockIsFree_isUnderIt(locks: Locks) {
        assertTrue(runBlocking { Reports(locks).write() } > 0)
        assertTrue(Reports(locks).publish().block()!! > 1)
    }

    @Test
    fun write_whileAnotherProcessWrites_givesUp(locks: Locks, test: TestLocks) {
        test.makeBusy("report")
        assertThrows(LockTimeoutException::class.java) { runBlocking { Reports(locks).write() } }
    }
}
