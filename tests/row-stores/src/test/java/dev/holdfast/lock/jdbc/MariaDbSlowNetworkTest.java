package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import org.junit.jupiter.api.Tag;

/** MariaDB, far away. */
@Tag("second-build")
class MariaDbSlowNetworkTest extends RowStoreSlowNetwork {

    private final RowDatabase database = MariaDbDatabase.of(MariaDbServer.shared());

    @Override
    RowDatabase database() {
        return database;
    }
}
