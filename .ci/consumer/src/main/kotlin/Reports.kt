package com.example.reports

import dev.holdfast.lock.Locks
import dev.holdfast.lock.kotlin.withLock
import dev.holdfast.lock.reactor.ReactorLock
import kotlin.time.Duration.Companion.seconds
import reactor.core.publisher.Mono

class Reports(private val locks: Locks) {

    suspend fun write(): Long = locks.named("report").withLock(5.seconds) { lease -> lease.fencingToken() }

    fun publish(): Mono<Long> = ReactorLock.of(locks.named("report")).withLock { lease -> Mono.just(lease.fencingToken()) }
}
