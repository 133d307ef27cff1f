package dev.holdfast.lock.tck;

/** What a test saw that should not be. */
class Broken extends AssertionError {
    private static final long serialVersionUID = 1L;

    Broken(String found) {
        super(found);
    }
}
