package dev.holdfast.lock.cli;

import org.junit.jupiter.api.Tag;

/** On PostgreSQL. */
@Tag("long")
class PostgresSharesIT extends SharesContract {

    @Override
    String store() throws Exception {
        return TestStores.postgres();
    }
}
