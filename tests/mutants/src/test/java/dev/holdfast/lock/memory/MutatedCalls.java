package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.ForwardingLockStore;

/** The superclass of mutants that change the calls to a store. */
abstract class MutatedCalls extends ForwardingLockStore {

    MutatedCalls(LockStore store) {
        super(store);
    }
}
