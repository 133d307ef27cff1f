package dev.holdfast.lock.architecture;

import dev.holdfast.lock.reactor.ReactorLock;

/** The rules of all modules, for lock-reactor. */
class LockReactorArchitectureTest extends ArchitectureRules {

    LockReactorArchitectureTest() {
        super(ReactorLock.class);
    }
}
