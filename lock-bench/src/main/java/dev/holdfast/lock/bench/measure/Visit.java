package dev.holdfast.lock.bench.measure;

/**
 * Somebody came, was served and went.
 *
 * @param began when it began to ask for the lock
 * @param granted when it held it
 * @param released when it had given it back
 */
record Visit(long began, long granted, long released) {

    long waited() {
        return granted - began;
    }
}
