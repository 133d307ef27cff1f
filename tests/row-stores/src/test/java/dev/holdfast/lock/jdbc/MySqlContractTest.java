package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.OtherTopologies;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** The conformance kit on MySQL. */
@Tag("second-build")
@Order(1)
class MySqlContractTest extends RowStoreContract {

    private static MariaDbServer server;
    private static RowDatabase database;

    @BeforeAll
    static void start() {
        server = MariaDbServer.ownMySql();
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

    /** Client and statements are those of MariaDB. Each restart takes 4 s of processor time. */
    @Override
    protected Map<String, String> exemptions() {
        return OtherTopologies.exemptionsBesideAnother("P1.17", "P2.4", "M3", "M4");
    }
}
