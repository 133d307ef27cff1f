package dev.holdfast.lock.cli;

/** On PostgreSQL. */
class PostgresContentionIT extends Contention {

    @Override
    String store() throws Exception {
        return PostgresRuns.newStore() + PATIENT;
    }
}
