package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.contract.OtherTopologies;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** The composite passes the kit during failovers to PostgreSQL and failbacks to Redis. */
@Tag("second-build")
@Order(1)
class FailoverContractTest extends CompositeContract {

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = new Servers(RedisServer.own());
    }

    @AfterAll
    static void stop() {
        servers.close();
        assertThat(FailoverProvider.changes()).isGreaterThan(50);
    }

    @Override
    Servers servers() {
        return servers;
    }

    @Override
    protected Map<String, String> exemptions() {
        String forgotten = "a waiter that does not ask has no place once another store grants";
        Map<String, String> exemptions = new HashMap<>(OtherTopologies.exemptionsOnTwoStores());
        exemptions.putAll(super.exemptions());
        List.of("P7.15", "P7.17", "P8.11").forEach(rule -> exemptions.put(rule, forgotten));
        return exemptions;
    }

    @Override
    protected Properties configuration() {
        return servers().configuration("failing-over", AUTHORITY_LEASE);
    }
}
