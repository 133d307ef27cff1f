package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.CALL;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static dev.holdfast.lock.redis.faults.TestCommands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A node leaves the Cluster and keeps running: it answers, and knows no slots. */
@Tag("first-build")
@Order(1)
class LeavingNodeTest {

    private static Cluster cluster;

    @BeforeAll
    static void start() {
        cluster = Cluster.start();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) { // else there is no cluster to be had
            cluster.close();
        }
    }

    @Test
    void locks_afterOnlyKnownNodeLeft_continue() {
        RedisServer only = cluster.masters().get(0);
        List<String> names = cluster.masters().stream()
                .flatMap(each -> SlotNames.namesAt(cluster, each, 3).stream())
                .toList();
        try (LockStore store = open("redis-cluster://127.0.0.1:" + only.port())) {
            List<LockCommand> renewals = new ArrayList<>();
            for (String name : names) {
                AcquisitionId holder = id();
                answered(store, acquire(name, holder), LockReply.Granted.class);
                renewals.add(renew(name, holder));
            }

            RedisServer heir = cluster.leave(only);

            Await.until("all locks are renewed", () -> areGranted(store, renewals));
            for (int round = 0; round < 5; round++) {
                for (String name : names) {
                    try (var locks = store.list(name, CALL)) {
                        assertThat(locks).as("what is seen in round " + round).isNotEmpty();
                    }
                }
                assertThat(areGranted(store, renewals)).as("round " + round).isTrue();
            }
            cluster.rejoin(only, heir);
        }
    }

    private static boolean areGranted(LockStore store, List<LockCommand> commands) {
        return store.execute(commands, CALL).stream().allMatch(LockReply.Granted.class::isInstance);
    }

    @Test
    void subscription_atLeavingNode_movesToAnother() {
        ReceivedSignals heard = new ReceivedSignals();
        try (LockStore store = open(cluster.uri())) {
            AutoCloseable unused = store.subscribe(heard);
            heard.await(Notification.ANY, 0);
            RedisServer left = cluster.masters().stream()
                    .filter(LeavingNodeTest::isListenedTo)
                    .findFirst()
                    .orElseThrow();
            String name = SlotNames.namesAt(cluster, left, 1).get(0);
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            answered(store, acquire(name, holder), LockReply.Granted.class);
            answered(store, queue(name, waiter), LockReply.Queued.class);
            int before = heard.count();

            RedisServer heir = cluster.leave(left);

            Await.until("it is renewed", () -> areGranted(store, List.of(renew(name, holder))));
            heard.await(Notification.ANY, before);
            assertThat(isListenedTo(left)).isFalse();
            answered(store, queue(name, waiter), LockReply.Queued.class); // in time, however long that took
            answered(store, release(name, holder), LockReply.Released.class);
            heard.await(Notification.of(new LockName(name), waiter), before);
            cluster.rejoin(left, heir);
        }
    }

    private static boolean isListenedTo(RedisServer server) {
        try (RedisClient admin = server.client()) {
            return Administrator.clients(admin, "TYPE", "PUBSUB").findAny().isPresent();
        }
    }

    private static LockStore open(String uri) {
        return TestStores.store(new Namespace("default"), uri);
    }
}
