package dev.holdfast.lock.cli;

/** On SQLite. */
class SqliteOperatorIT extends OperatorContract {

    @Override
    String store() {
        return TestStores.sqlite(folder.resolve("sqlite.db"));
    }
}
