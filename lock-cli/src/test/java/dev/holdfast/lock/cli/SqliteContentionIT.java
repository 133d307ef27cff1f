package dev.holdfast.lock.cli;

/** On SQLite. */
class SqliteContentionIT extends ContentionContract {

    @Override
    String store() {
        return TestStores.sqlite(folder.resolve("sqlite.db"));
    }
}
