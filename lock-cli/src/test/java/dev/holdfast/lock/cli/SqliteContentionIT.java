package dev.holdfast.lock.cli;

/** On SQLite. */
class SqliteContentionIT extends Contention {

    @Override
    String store() {
        return SqliteRuns.sqlite(folder.resolve("sqlite.db")) + PATIENT;
    }
}
