package dev.holdfast.lock.cli;

/** On PostgreSQL. */
class PostgresSharesIT extends SharesContract {

    @Override
    String store() throws Exception {
        return TestStores.postgres();
    }
}
