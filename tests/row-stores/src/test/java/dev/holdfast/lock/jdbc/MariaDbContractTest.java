package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** The conformance kit on MariaDB, or on the MariaDB or MySQL that the system properties name. */
@Tag("second-build")
@Order(1)
class MariaDbContractTest extends RowStoreContract {

    private static MariaDbServer server;
    private static RowDatabase database;

    @BeforeAll
    static void start() {
        server = MariaDbServer.restartable();
        database = MariaDbDatabase.of(server);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    RowDatabase database() {
        return database;
    }
}
