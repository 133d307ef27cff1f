package dev.holdfast.lock.cli;

/** On Redis. */
class RedisContentionIT extends Contention {

    @Override
    String store() {
        return RedisRuns.newStore() + PATIENT;
    }
}
