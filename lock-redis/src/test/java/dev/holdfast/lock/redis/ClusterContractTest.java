package dev.holdfast.lock.redis;

import dev.holdfast.lock.contract.OtherTopologies;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.RedisServer;
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

/** A Cluster of three masters and three replicas passes the kit. */
@Tag("second-build")
@Order(1)
class ClusterContractTest extends RedisContract {

    private static Cluster cluster;

    @BeforeAll
    static void start() {
        cluster = Cluster.start();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) { // else there is none to be had
            cluster.close();
        }
    }

    @Override
    protected Set<RedisServer> masters() {
        return Set.copyOf(cluster.masters());
    }

    @Override
    protected Properties configuration() {
        return TestStores.settings(cluster.uri());
    }

    @Override
    protected Map<String, String> exemptions() {
        return OtherTopologies.exemptions();
    }

    @Override
    protected BreakableConnection breakableConnection() {
        List<RedisServer> servers = new ArrayList<>(cluster.masters());
        servers.addAll(cluster.replicas());
        return new ProxiedServers(cluster.uri(), servers);
    }

    @Override
    protected void restart() {
        for (RedisServer master : cluster.masters()) {
            master.kill();
            master.start();
        }
        cluster.awaitOk();
    }
}
