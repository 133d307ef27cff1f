package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.OtherTopologies;
import dev.holdfast.lock.jdbc.server.H2Server;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;

/** The conformance kit on a server of H2. */
@Order(1)
class H2ServerContractTest extends RowStoreContract {

    private static H2Server server;

    @BeforeAll
    static void start() {
        server = H2Server.own();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    RowDatabase database() {
        return server;
    }

    @Override
    protected Map<String, String> exemptions() {
        Map<String, String> exemptions = new HashMap<>(OtherTopologies.exemptions());
        exemptions.putAll(OtherTopologies.exemptionsFromFaults());
        return exemptions;
    }
}
