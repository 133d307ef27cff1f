package dev.holdfast.lock.cli;

import java.nio.file.Path;

/** Tests that start real runs on a SQLite file of their own. */
abstract class SqliteRuns extends Runs {

    @Override
    String store() {
        return sqlite(database());
    }

    Path database() {
        return folder.resolve("sqlite.db");
    }

    static String sqlite(Path file) {
        return "lock.provider=jdbc\nlock.jdbc.url=jdbc:sqlite:" + file + "\n";
    }
}
