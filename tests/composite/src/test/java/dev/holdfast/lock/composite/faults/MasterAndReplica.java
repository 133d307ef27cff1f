package dev.holdfast.lock.composite.faults;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import redis.clients.jedis.RedisClient;

/** A master and a replica of it, which a test promotes by hand; clients reach the master by an address that moves. */
final class MasterAndReplica implements ReplicatedRedis {

    private final RedisServer master;
    private final FaultyProxy replication;
    private final RedisServer replica;
    private final FaultyProxy address;

    MasterAndReplica() {
        assumeTrue(
                System.getProperty("lock.test.servers", "embedded").equals("embedded"),
                "only embedded servers can be made to work together");
        master = RedisServer.own();
        replication = new FaultyProxy(master.address());
        replica = RedisServer.own("replicaof 127.0.0.1 " + replication.port());
        address = new FaultyProxy(master.address());
        try (RedisClient client = replica.client()) {
            Await.until("the replica follows", () -> client.info("replication").contains("master_link_status:up"));
        }
    }

    @Override
    public String uri() {
        return ProxiedRedis.uri(master, address);
    }

    @Override
    public RedisServer master() {
        return master;
    }

    @Override
    public void cutReplication() {
        replication.cut();
    }

    @Override
    public RedisServer failOver() {
        master.kill();
        try (RedisClient client = replica.client()) {
            Administrator.order(client, "REPLICAOF", "NO", "ONE");
        }
        address.leadTo(replica.address());
        return replica;
    }

    @Override
    public void close() {
        address.close();
        replica.close();
        replication.close();
        master.close();
    }
}
