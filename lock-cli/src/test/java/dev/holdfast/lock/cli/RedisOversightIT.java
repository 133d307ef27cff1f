package dev.holdfast.lock.cli;

/** On Redis. */
class RedisOversightIT extends Oversight {

    @Override
    String store() {
        return RedisRuns.newStore() + PATIENT;
    }
}
