package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.contract.OtherTopologies;
import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.tck.BreakableConnection;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** The conformance kit on H2 in memory. */
@Tag("second-build")
@Order(1)
class H2ContractTest extends RowStoreContract {

    private static final RowDatabase DATABASE = H2Database.inMemory();

    @Override
    RowDatabase database() {
        return DATABASE;
    }

    /** The client is that of MariaDB; the statements are its own, of which random histories have all. */
    @Override
    protected Map<String, String> exemptions() {
        return OtherTopologies.exemptionsBesideAnother();
    }

    @Override
    protected boolean sharedBetweenProcesses() {
        return false;
    }

    @Override
    protected BreakableConnection breakableConnection() {
        throw notPossible("there is nothing between a process and its memory; H2ServerContractTest breaks connections");
    }

    @Override
    protected void restart() {
        throw notPossible("there is no server; H2ServerContractTest restarts one");
    }
}
