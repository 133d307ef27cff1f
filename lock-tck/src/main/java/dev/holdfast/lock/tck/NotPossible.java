package dev.holdfast.lock.tck;

import org.opentest4j.TestAbortedException;

/** That a rule cannot be checked on this store. Any other way to abort a test says nothing about the store. */
final class NotPossible extends TestAbortedException {
    private static final long serialVersionUID = 1L;

    NotPossible(String reason) {
        super(reason);
    }
}
