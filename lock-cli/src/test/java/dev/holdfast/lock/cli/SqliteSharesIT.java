package dev.holdfast.lock.cli;

/** On SQLite, the store without a configuration. */
class SqliteSharesIT extends SharesContract {

    @Override
    String store() {
        return TestStores.sqlite(folder.resolve("lock.db"));
    }
}
