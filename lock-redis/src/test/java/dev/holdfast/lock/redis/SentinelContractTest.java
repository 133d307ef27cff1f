package dev.holdfast.lock.redis;

import dev.holdfast.lock.contract.OtherTopologies;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import dev.holdfast.lock.tck.BreakableConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** A master with two replicas and three sentinels passes the kit. */
@Tag("second-build")
@Order(1)
class SentinelContractTest extends RedisContract {

    /** All locks are on the one master, as on a single server: names, batches and histories are tested there and on a Cluster. */
    private static final String[] OF_ONE_MASTER = {
        "P1.2", "P1.3", "P1.4", "P4.9", "P4.11", "P7.9", "P7.13", "P9.2", "P10.5", "M3", "M4"
    };

    private static Sentinels sentinels;

    @BeforeAll
    static void start() {
        sentinels = Sentinels.start();
    }

    @AfterAll
    static void stop() {
        if (sentinels != null) { // else there are none to be had
            sentinels.close();
        }
    }

    @Override
    protected Set<RedisServer> masters() {
        return Set.of(sentinels.master());
    }

    @Override
    protected Properties configuration() {
        return TestStores.settings(sentinels.uri());
    }

    @Override
    protected Map<String, String> exemptions() {
        return OtherTopologies.exemptions(OF_ONE_MASTER);
    }

    @Override
    protected BreakableConnection breakableConnection() {
        List<RedisServer> servers = new ArrayList<>(sentinels.replicas());
        servers.add(sentinels.master());
        return new ProxiedServers(sentinels.uri(), servers);
    }

    @Override
    protected void restart() {
        RedisServer master = sentinels.master();
        master.kill();
        master.start();
        sentinels.awaitWhole();
    }
}
