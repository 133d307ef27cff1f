package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.ProxiedServers;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** One node of a Cluster stands still, and no other takes over: calls to it soon fail at once, and calls to others are not held up. */
@Isolated // threads of other tests must not come and go meanwhile
@Tag("first-build")
class SilentNodeTest {

    private static final Namespace NAMESPACE = new Namespace("default");

    /** No call here lasts so long. */
    private static final Duration LONG = Duration.ofMinutes(10);

    /** The timeout of the first call to the silent node. */
    private static final Duration TIMEOUT = Duration.ofSeconds(4);

    /** More than a machine stands still for so long one after the other. */
    private static final int ATTEMPTS = 5;

    private static Cluster cluster;
    private static RedisServer silent;
    private static RedisServer healthy;

    private final OwnThreads threads = new OwnThreads();
    private final List<LockCommand> silentOnes = new ArrayList<>();
    private final List<LockCommand> all = new ArrayList<>();

    @BeforeAll
    static void start() {
        cluster = Cluster.start("cluster-require-full-coverage no", Account.directive());
        silent = cluster.masters().get(0);
        healthy = cluster.masters().get(1);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) { // else there is no cluster to be had
            cluster.close();
        }
    }

    @BeforeEach
    void choose() {
        SlotNames.namesAt(cluster, silent, 10).forEach(name -> silentOnes.add(acquire(name, id())));
        all.addAll(silentOnes);
        SlotNames.namesAt(cluster, healthy, 1).forEach(name -> all.add(acquire(name, id())));
    }

    @AfterEach
    void thaw() {
        silent.thaw();
        cluster.awaitOk();
    }

    private static LockStore open() {
        return TestStores.store(NAMESPACE, Account.in(cluster.uri()));
    }

    @Test
    void silentNode_failsItsOwnCommandsAndDelaysOnlyTheFirst() throws Exception {
        threads.call(() -> {
            try (LockStore store = openAndFallSilent(all)) {
                for (int round = 0; round < 50; round++) {
                    List<LockReply> replies = store.execute(all, LONG);

                    assertOnlyTheHealthyAnswers(replies);
                    assertThat(replies.get(0))
                            .isInstanceOfSatisfying(
                                    LockReply.Unavailable.class,
                                    reply -> assertThat(reply.cause()).hasMessageContaining("does not answer"));
                }

                silent.thaw();
                Await.until(
                        "it is asked again",
                        () -> store.execute(all, LONG).stream().allMatch(LockReply.Granted.class::isInstance));
            }
            return null;
        });
        threads.awaitEnd();
    }

    /**
     * A store that was granted these commands before the node fell silent, and whose first call since has failed the commands to that
     * node, and no others. Where this machine stood still no node answered in time: the first call of another store tells.
     */
    private LockStore openAndFallSilent(List<LockCommand> before) {
        for (int attempt = 1; ; attempt++) {
            LockStore store = open();
            assertThat(store.execute(before, LONG)).allMatch(LockReply.Granted.class::isInstance);
            silent.freeze();
            List<LockReply> replies = store.execute(all, TIMEOUT);
            if (attempt == ATTEMPTS || ofHealthyNode(replies).stream().allMatch(LockReply.Granted.class::isInstance)) {
                assertOnlyTheHealthyAnswers(replies);
                return store;
            }
            silent.thaw();
            store.close();
        }
    }

    private void assertOnlyTheHealthyAnswers(List<LockReply> replies) {
        assertThat(ofSilentNode(replies)).allMatch(LockReply.Unavailable.class::isInstance);
        assertThat(ofHealthyNode(replies)).allMatch(LockReply.Granted.class::isInstance);
    }

    private List<LockReply> ofSilentNode(List<LockReply> replies) {
        return replies.subList(0, silentOnes.size());
    }

    private List<LockReply> ofHealthyNode(List<LockReply> replies) {
        return replies.subList(silentOnes.size(), replies.size());
    }

    @Test
    void silentNode_withoutConnection_failsItsOwnCommandsOnly() throws Exception {
        threads.call(() -> {
            List<LockCommand> healthyOnes = all.subList(silentOnes.size(), all.size());
            try (LockStore store = openAndFallSilent(healthyOnes)) {
                assertOnlyTheHealthyAnswers(store.execute(all, LONG));
            }
            return null;
        });
        threads.awaitEnd();
    }

    @Test
    void close_withSilentNode_leavesNoThreadAndNoConnection() throws Exception {
        threads.call(() -> {
            ReceivedSignals heard = new ReceivedSignals();
            try (LockStore store = open()) {
                AutoCloseable unused = store.subscribe(heard);
                heard.await(Notification.ANY, 0);
                assertThat(store.execute(all, LONG)).allMatch(LockReply.Granted.class::isInstance);
                assertThat(Account.connections(cluster.masters())).isPositive();
                silent.freeze();
                assertThat(store.execute(silentOnes, TIMEOUT)).allMatch(LockReply.Unavailable.class::isInstance);
                assertThat(threads.names()).contains("holdfast-redis-topology", "holdfast-notifications");
            }
            return null;
        });

        threads.awaitEnd();
        silent.thaw();
        Await.until("no connection is left", () -> Account.connections(cluster.masters()) == 0);
    }

    /** As behind a router that forgot the connections: neither side learns it, and new connections work. */
    @Test
    void locks_afterConnectionsDiedAndSlotMoved_continue() throws Exception {
        List<RedisServer> servers = new ArrayList<>(cluster.masters());
        servers.addAll(cluster.replicas());
        try (ProxiedServers way = new ProxiedServers(cluster.uri(), servers)) {
            expectBothToGoOn(way, servers);
        }
    }

    private static void expectBothToGoOn(ProxiedServers way, List<RedisServer> servers) throws Exception {
        Properties configuration = way.configuration();
        configuration.setProperty("lock.call-timeout", "5s"); // also of each connection
        configuration.setProperty("lock.lease", "60s");
        RedisServer from = silent; // not in this test
        String name = SlotNames.namesAt(cluster, from, 1).get(0);
        try (Locks mine = LocksOpener.open(configuration);
                Locks others = LocksOpener.open(configuration)) {
            Lease lease = mine.named(name).acquire();
            Await.until("it is held", () -> isBusy(others, name));

            servers.stream().map(way::before).forEach(FaultyProxy::halfOpen);
            servers.stream().map(way::before).forEach(FaultyProxy::pass);
            cluster.migrate(SlotNames.of(name), from, healthy);

            Await.until("it is answered", () -> isBusy(others, name));
            assertThat(Application.isReleasedNowOrLater(lease)).isTrue();
            Lease next = Await.lease(others.named(name));
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            assertThat(next.release()).isTrue();
        }
    }

    private static boolean isBusy(Locks locks, String name) {
        try {
            return locks.named(name).tryAcquire().isEmpty();
        } catch (LockUnavailableException e) {
            return false;
        }
    }
}
