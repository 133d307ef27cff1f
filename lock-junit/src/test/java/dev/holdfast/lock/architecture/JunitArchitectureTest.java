package dev.holdfast.lock.architecture;

import dev.holdfast.lock.junit.TestLocks;

/** The rules of all modules. */
class JunitArchitectureTest extends ArchitectureRules {

    JunitArchitectureTest() {
        super(TestLocks.class);
    }
}
