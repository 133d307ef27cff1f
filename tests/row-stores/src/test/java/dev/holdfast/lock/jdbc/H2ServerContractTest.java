package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.OtherTopologies;
import dev.holdfast.lock.jdbc.server.H2Server;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.tck.Rule;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** The conformance kit on a server of H2. */
@Tag("second-build")
@Order(1)
class H2ServerContractTest extends RowStoreContract {

    /** The rules with a restart and with connections that break, and about stores that are opened separately. */
    private static final Set<Rule> OF_A_SERVER =
            EnumSet.of(Rule.P1_5, Rule.P1_17, Rule.P2_4, Rule.P6_1, Rule.P7_4, Rule.M3);

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
        return OtherTopologies.exemptionsBut(OF_A_SERVER);
    }
}
