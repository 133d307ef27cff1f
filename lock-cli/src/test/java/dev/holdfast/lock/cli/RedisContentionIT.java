package dev.holdfast.lock.cli;

/** On Redis. */
class RedisContentionIT extends Contention {

    @Override
    String store() {
        return RedisRuns.newStore() + PATIENT;
    }

    @Override
    int times() {
        return 10 * Integer.getInteger("lock.test.scale", 1);
    }
}
