package dev.holdfast.lock.architecture;

import dev.holdfast.lock.kotlin.SuspendingLocks;

/** The rules of all modules, for lock-kotlin. */
class LockKotlinArchitectureTest extends ArchitectureRules {

    LockKotlinArchitectureTest() {
        super(SuspendingLocks.class);
    }
}
