package dev.holdfast.lock.cli;

/** On SQLite. */
class SqliteOversightIT extends Oversight {

    @Override
    String store() {
        return SqliteRuns.sqlite(folder.resolve("sqlite.db")) + PATIENT;
    }
}
