package dev.holdfast.lock.architecture;

import dev.holdfast.lock.tck.LockStoreContract;

/** The rules of all modules, on the kit. */
class KitArchitectureTest extends ArchitectureRules {

    KitArchitectureTest() {
        super(LockStoreContract.class);
    }
}
