package dev.holdfast.lock.composite.faults;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import redis.clients.jedis.RedisClient;

/**
 * A Redis master and its replica, which change their roles, and a database. Most processes reach the master by one address and a
 * few by another, and either may lead to another server.
 */
final class Site implements AutoCloseable {

    private final Database database;
    private RedisServer master;
    private RedisServer replica;
    private FaultyProxy replication;
    private final FaultyProxy most;
    private final FaultyProxy few;

    Site() throws SQLException {
        assumeTrue(
                System.getProperty("lock.test.servers", "embedded").equals("embedded"),
                "only embedded servers can be made to work together");
        database = new Database();
        master = RedisServer.own();
        replica = RedisServer.own();
        most = new FaultyProxy(master.address());
        few = new FaultyProxy(master.address());
        replication = new FaultyProxy(master.address());
        follow();
    }

    Database database() {
        return database;
    }

    RedisServer master() {
        return master;
    }

    /** How a composite is opened by one of most, or by one of the few. */
    Properties configuration(boolean oneOfMost) {
        Properties locks = new Properties();
        locks.setProperty("lock.provider", "composite");
        locks.setProperty("lock.lease", "6s");
        locks.setProperty("lock.call-timeout", "500ms");
        locks.setProperty("lock.composite.authority-lease", "2s");
        locks.setProperty("lock.redis.uri", ProxiedRedis.uri(master, oneOfMost ? most : few));
        database.configure(locks);
        return locks;
    }

    /** How Redis alone is opened by one of most. */
    Properties redisAlone() {
        Properties locks = new Properties();
        locks.setProperty("lock.provider", "redis");
        locks.setProperty("lock.lease", "1s");
        locks.setProperty("lock.call-timeout", "300ms");
        locks.setProperty("lock.redis.uri", ProxiedRedis.uri(master, most));
        return locks;
    }

    /** From now on the replica hears of nothing. */
    void cutReplication() {
        replication.cut();
    }

    /** The replica is a master, too, and most reach it, and only it. */
    void promote() {
        try (RedisClient client = replica.client()) {
            Administrator.order(client, "REPLICAOF", "NO", "ONE");
        }
        most.leadTo(replica.address());
    }

    /** The few reach the same as most, and the one that was the master begins anew as a replica. */
    void unite() {
        few.leadTo(replica.address());
        RedisServer old = master;
        master = replica;
        replica = old;
        replica.wipe();
        replication.close();
        replication = new FaultyProxy(master.address());
        follow();
    }

    private void follow() {
        try (RedisClient client = replica.client()) {
            Administrator.order(client, "REPLICAOF", "127.0.0.1", Integer.toString(replication.port()));
            Await.until("the replica follows", () -> client.info("replication").contains("master_link_status:up"));
        }
    }

    /** Waits until Redis grants; however often it fell, it is given another chance as soon as one that fell once. */
    void awaitPrimary() {
        Await.until("Redis grants again", () -> {
            limitFailures(1);
            return mode().equals("PRIMARY");
        });
        Await.until("it is forgiven", () -> limitFailures(0));
    }

    /** Whether the database has answered. */
    private boolean limitFailures(int most) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "UPDATE holdfast_authority_state SET failure_count = " + most + " WHERE failure_count > " + most);
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    /** The phase in the database; empty while the database does not answer. */
    String mode() {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT phase FROM holdfast_authority_state")) {
            return row.next() ? row.getString(1) : "";
        } catch (SQLException e) {
            return "";
        }
    }

    @Override
    public void close() {
        most.close();
        few.close();
        replication.close();
        replica.close();
        master.close();
        database.close();
    }
}
