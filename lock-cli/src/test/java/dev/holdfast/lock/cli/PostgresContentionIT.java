package dev.holdfast.lock.cli;

/** On PostgreSQL. */
class PostgresContentionIT extends ContentionContract {

    @Override
    String store() throws Exception {
        return TestStores.postgres();
    }
}
