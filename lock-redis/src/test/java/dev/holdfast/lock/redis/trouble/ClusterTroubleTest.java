package dev.holdfast.lock.redis.trouble;

import static dev.holdfast.lock.redis.trouble.Steps.acquire;
import static dev.holdfast.lock.redis.trouble.Steps.answered;
import static dev.holdfast.lock.redis.trouble.Steps.id;
import static dev.holdfast.lock.redis.trouble.Steps.release;
import static dev.holdfast.lock.redis.trouble.Steps.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.RedisLockStore;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.Cluster;
import dev.holdfast.lock.redis.server.Migration;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;

/** Slots that move and nodes that fail, under holders and waiters. */
class ClusterTroubleTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Half of what a call may take. */
    private static final Duration STANDSTILL = Duration.ofMillis(250);

    private static Cluster cluster;

    private RedisClusterClient client;
    private LockStore store;

    @BeforeAll
    static void start() {
        cluster = Cluster.start("cluster-require-full-coverage no"); // else one node that fails takes down all
    }

    @AfterAll
    static void stop() {
        if (cluster != null) { // else there is no cluster to be had
            cluster.close();
        }
    }

    @BeforeEach
    void open() {
        Set<HostAndPort> nodes = cluster.masters().stream()
                .map(each -> new HostAndPort(URI.create(each.uri()).getHost(), each.port()))
                .collect(Collectors.toSet());
        client = RedisClusterClient.builder()
                .nodes(nodes)
                .clientConfig(
                        DefaultJedisClientConfig.builder().timeoutMillis(500).build())
                .build();
        store = RedisLockStore.of(client);
    }

    @AfterEach
    void close() {
        store.close();
        client.close();
    }

    @Test
    void aLockMovesWithItsSlotToAnotherNodeAndSoDoItsHolderAndItsWaiters() throws Exception {
        try (Locks mine = open(cluster, "9s");
                Locks others = open(cluster, "9s")) {
            RedisServer from = cluster.masters().get(0);
            RedisServer to = cluster.masters().get(1);
            String name = Slots.namesAt(cluster, from, 1).get(0);
            Lease lease = mine.named(name).acquire();
            CompletableFuture<Lease> waiter = others.named(name).acquireAsync(MINUTE);
            awaitWaiting(name);

            cluster.migrate(Slots.of(name), from, to);

            assertThat(cluster.owner(Slots.of(name))).isSameAs(to);
            assertThat(others.named(name).tryAcquire()).isEmpty();
            Duration before = lease.remaining();
            Awaiting.until("a renewal is carried out", () -> lease.remaining().compareTo(before) > 0);
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(waiter).isNotDone();
            assertThat(lease.release()).isTrue();
            Lease next = waiter.get(1, TimeUnit.MINUTES);
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            assertThat(next.release()).isTrue();
        }
    }

    @Test
    void aGrantIsTheSameAfterItsSlotHasMoved() {
        RedisServer from = cluster.masters().get(1);
        RedisServer to = cluster.masters().get(2);
        String name = Slots.namesAt(cluster, from, 1).get(0);
        AcquisitionId holder = id();
        long token =
                answered(store, acquire(name, holder), Answer.Granted.class).token();

        cluster.migrate(Slots.of(name), from, to);

        assertThat(Steps.ask(store, acquire(name, id()))).isInstanceOf(Answer.Busy.class);
        assertThat(answered(store, renew(name, holder), Answer.Granted.class).token())
                .isEqualTo(token);
        assertThat(answered(store, release(name, holder), Answer.Released.class).wasHeld())
                .isTrue();
        assertThat(answered(store, acquire(name, id()), Answer.Granted.class).token())
                .isGreaterThan(token);
    }

    /** Redis has a script's keys all in one place, or does not run it: half-way there is no such place. */
    @Test
    void whileASlotIsOnItsWayItsLocksAreUnavailableAndNothingIsLost() throws Exception {
        try (Locks mine = open(cluster, "9s");
                Locks others = open(cluster, "9s")) {
            RedisServer from = cluster.masters().get(2);
            RedisServer to = cluster.masters().get(0);
            List<String> names = Slots.namesAt(cluster, from, 2);
            String name = names.get(0);
            Lease lease = mine.named(name).acquire();
            CompletableFuture<Lease> waiter = others.named(name).acquireAsync(MINUTE);
            awaitWaiting(name);

            Migration migration = cluster.beginMigration(Slots.of(name), from, to);
            expectNeitherBusyNorGranted(name);
            migration.moveKeys();
            expectNeitherBusyNorGranted(name);
            assertThat(mine.named(names.get(1)).acquire(MINUTE).release())
                    .as("another slot of the same node")
                    .isTrue();
            assertThat(lease.isHeld()).isTrue();
            migration.finish();

            Awaiting.until("a renewal is confirmed", () -> lease.state() == LeaseState.HELD);
            assertThat(waiter).isNotDone();
            assertThat(lease.release()).isTrue();
            Lease next = waiter.get(1, TimeUnit.MINUTES);
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            assertThat(next.release()).isTrue();
        }
    }

    private void expectNeitherBusyNorGranted(String name) {
        for (int round = 0; round < 3; round++) {
            Answer answer = Steps.ask(store, acquire(name, id()));
            assertThat(answer).isInstanceOf(Answer.Unavailable.class);
            assertThat(((Answer.Unavailable) answer).why()).hasMessageContaining("TRYAGAIN");
        }
    }

    @Test
    void aBatchOverAllNodesIsAnsweredInItsOrder() {
        Map<String, AcquisitionId> ids = new LinkedHashMap<>();
        for (int number = 0; number < 60; number++) {
            ids.put("of a batch " + number, id());
        }
        assertThat(ids.keySet().stream()
                        .map(name -> cluster.owner(Slots.of(name)))
                        .distinct())
                .hasSize(3);

        List<Step> steps = new ArrayList<>();
        ids.forEach((name, id) -> steps.add(acquire(name, id)));
        List<Answer> answers = store.apply(steps, Steps.CALL);

        int at = 0;
        for (Map.Entry<String, AcquisitionId> each : ids.entrySet()) {
            long token = ((Answer.Granted) answers.get(at++)).token();
            assertThat(answered(store, renew(each.getKey(), each.getValue()), Answer.Granted.class)
                            .token())
                    .isEqualTo(token);
        }
    }

    @Test
    void aFrozenNodeHarmsNoStepOfABatchButItsOwn() throws Exception {
        Pulse.steadily(STANDSTILL, pulse -> {
            RedisServer frozen = cluster.masters().get(0);
            List<String> its = Slots.namesAt(cluster, frozen, 5);
            List<String> others = namesBeside(frozen);
            connect(its);
            connect(others);
            besides(frozen).forEach(server -> pulse.feel(new ServerHeart(server)));

            expectUnavailable(frozen, its, others);
        });
    }

    @Test
    void aFrozenNodeToWhichNobodyIsConnectedHarmsNoStepOfABatchButItsOwn() throws Exception {
        Pulse.steadily(STANDSTILL, pulse -> {
            close();
            open();
            RedisServer frozen = cluster.masters().get(0);
            List<String> others = namesBeside(frozen);
            connect(others);
            besides(frozen).forEach(server -> pulse.feel(new ServerHeart(server)));

            expectUnavailable(frozen, Slots.namesAt(cluster, frozen, 20), others);
        });
    }

    private List<RedisServer> besides(RedisServer node) {
        return cluster.masters().stream().filter(each -> each != node).toList();
    }

    private List<String> namesBeside(RedisServer node) {
        return besides(node).stream()
                .flatMap(each -> Slots.namesAt(cluster, each, 5).stream())
                .toList();
    }

    private void connect(List<String> names) {
        store.apply(names.stream().<Step>map(name -> release(name, id())).toList(), Steps.CALL);
    }

    private void expectUnavailable(RedisServer frozen, List<String> its, List<String> others) {
        List<String> names = new ArrayList<>(its);
        names.addAll(others);
        List<Step> steps = names.stream().<Step>map(name -> acquire(name, id())).toList();
        List<List<Answer>> answers = new ArrayList<>();
        frozen.freeze();
        try {
            for (int round = 0; round < 2; round++) {
                answers.add(store.apply(steps, Duration.ofMillis(500)));
            }
        } finally {
            frozen.thaw();
            cluster.awaitOk();
        }

        for (List<Answer> round : answers) {
            for (int at = 0; at < names.size(); at++) {
                assertThat(round.get(at))
                        .as(names.get(at) + " in round " + answers.indexOf(round))
                        .isInstanceOf(at < its.size() ? Answer.Unavailable.class : Answer.Granted.class);
            }
        }
    }

    @Test
    void theLocksOfOtherNodesGoOnWhileOneIsFrozenAndItsOwnGoOnWhenItsReplicaHasTakenOver() throws Exception {
        Pulse.steadily(STANDSTILL, this::expectOthersToGoOn);
    }

    private void expectOthersToGoOn(Pulse pulse) throws Exception {
        RedisServer frozen = cluster.masters().get(1);
        List<String> its = Slots.namesAt(cluster, frozen, 3);
        List<String> others = besides(frozen).stream()
                .flatMap(each -> Slots.namesAt(cluster, each, 2).stream())
                .toList();
        besides(frozen).forEach(server -> pulse.feel(new ServerHeart(server)));
        try (Load onIts = new Load(its, false);
                Load onOthers = new Load(others, true)) {
            for (int application = 0; application < 2; application++) {
                Locks locks = open(cluster, "3s");
                onIts.begin(locks, 2);
                onOthers.begin(locks, 2);
            }
            onIts.witness().awaitProgress(onIts.names(), "at first");
            onOthers.witness().awaitProgress(onOthers.names(), "at first");

            frozen.freeze();
            try {
                for (int round = 0; round < 5; round++) {
                    onOthers.witness().awaitProgress(onOthers.names(), "in round " + round + " beside the frozen node");
                }
                onIts.witness().awaitProgress(onIts.names(), "by the replica");
                onOthers.witness().awaitProgress(onOthers.names(), "after the replica took over");
            } finally {
                frozen.thaw();
                cluster.awaitOk();
            }

            onIts.witness().awaitProgress(onIts.names(), "after the node came back");
            onIts.end();
            onOthers.end();
            assertThat(onOthers.unavailable())
                    .as("calls to other nodes that were not answered")
                    .isEmpty();
            assertThat(onOthers.lost())
                    .as("leases of other nodes that were lost")
                    .isZero();
        }
    }

    @Test
    void whoAsksAndWaitsIsServedByTheReplicaOfAKilledNode() throws Exception {
        RedisServer killed = cluster.masters().get(0);
        List<String> names = Slots.namesAt(cluster, killed, 3);
        try (Load load = new Load(names, false)) {
            for (int application = 0; application < 2; application++) {
                load.begin(open(cluster, "3s"), 3);
            }
            load.witness().awaitProgress(load.names(), "at first");

            cluster.failOver(killed);
            load.witness().awaitProgress(load.names(), "by the replica");
            killed.start();
            cluster.awaitOk();
            load.witness().awaitProgress(load.names(), "after the node came back");
            load.end();
        }
    }

    private void awaitWaiting(String name) {
        Awaiting.until("somebody waits for " + name, () -> {
            try (var locks = store.inspect(name, Steps.CALL)) {
                return locks.anyMatch(lock -> !lock.waiters().isEmpty());
            }
        });
    }

    private static Locks open(Cluster cluster, String lease) {
        return Application.open(cluster.uri(), "lock.lease", lease, "lock.call-timeout", "500ms");
    }
}
