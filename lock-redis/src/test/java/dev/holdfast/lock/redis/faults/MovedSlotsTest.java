package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static dev.holdfast.lock.redis.faults.TestCommands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.client.RedisUri;
import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.Migration;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClusterClient;

/** Locks of a Cluster whose slots move to other nodes while they are held and waited for. */
@Tag("first-build")
class MovedSlotsTest {

    private static final Duration RENEWED_SOON = Duration.ofSeconds(30);

    private Cluster cluster;
    private RedisClusterClient client;
    private LockStore store;

    @BeforeEach
    void open() {
        cluster = Cluster.shared();
        client = RedisClusterClient.builder()
                .nodes(RedisUri.of(cluster.uri()).hosts())
                .clientConfig(cluster.masters().get(0).clientConfig())
                .build();
        store = TestStores.on(client, new Namespace("default"));
    }

    @AfterEach
    void close() {
        if (store != null) { // else there is no cluster to be had
            store.close();
            client.close();
        }
    }

    @Test
    void heldLock_afterSlotMoved_keepsHolderAndWaiters() throws Exception {
        try (Locks mine = Application.open(cluster.uri());
                Locks others = Application.open(cluster.uri())) {
            RedisServer from = cluster.masters().get(0);
            RedisServer to = cluster.masters().get(1);
            String name = SlotNames.namesAt(cluster, from, 1).get(0);
            Lease lease = mine.named(name).withLease(RENEWED_SOON).acquire();
            CompletableFuture<Lease> waiter = others.named(name).acquireAsync(Duration.ofMinutes(3));
            awaitWaiting(name);

            cluster.migrate(SlotNames.of(name), from, to);

            assertThat(cluster.owner(SlotNames.of(name))).isSameAs(to);
            assertThat(others.named(name).tryAcquire()).isEmpty();
            Await.until(
                    "a part of the lease is over", () -> lease.remaining().compareTo(RENEWED_SOON.minusSeconds(1)) < 0);
            Duration before = lease.remaining();
            Await.until("a renewal is carried out", () -> lease.remaining().compareTo(before) > 0);
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(waiter).isNotDone();
            assertThat(lease.release()).isTrue();
            Lease next = Await.result(waiter);
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            assertThat(next.release()).isTrue();
        }
    }

    @Test
    void grant_afterSlotMoved_isTheSame() {
        RedisServer from = cluster.masters().get(1);
        RedisServer to = cluster.masters().get(2);
        String name = SlotNames.namesAt(cluster, from, 1).get(0);
        AcquisitionId holder = id();
        long token =
                answered(store, acquire(name, holder), LockReply.Granted.class).token();

        cluster.migrate(SlotNames.of(name), from, to);

        assertThat(TestCommands.ask(store, acquire(name, id()))).isInstanceOf(LockReply.Busy.class);
        assertThat(answered(store, renew(name, holder), LockReply.Granted.class).token())
                .isEqualTo(token);
        assertThat(answered(store, release(name, holder), LockReply.Released.class)
                        .wasHeld())
                .isTrue();
        assertThat(answered(store, acquire(name, id()), LockReply.Granted.class).token())
                .isGreaterThan(token);
    }

    /** Redis runs a script only where all its keys are, which is nowhere during a migration. */
    @Test
    void locks_whileSlotMigrates_areUnavailableAndNothingIsLost() {
        RedisServer from = cluster.masters().get(2);
        RedisServer to = cluster.masters().get(0);
        List<String> names = SlotNames.namesAt(cluster, from, 2);
        String name = names.get(0);
        AcquisitionId holder = id();
        AcquisitionId waiter = id();
        answered(store, acquire(name, holder), LockReply.Granted.class);
        answered(store, TestCommands.queue(name, waiter), LockReply.Queued.class);

        Migration migration = cluster.beginMigration(SlotNames.of(name), from, to);
        expectUnavailable(name, holder);
        migration.moveKeys();
        expectUnavailable(name, holder);
        answered(store, acquire(names.get(1), id()), LockReply.Granted.class); // of another slot of the same node
        migration.finish();

        answered(store, renew(name, holder), LockReply.Granted.class);
        answered(store, acquire(name, id()), LockReply.Busy.class);
        assertThat(answered(store, release(name, holder), LockReply.Released.class)
                        .wasHeld())
                .isTrue();
        answered(store, TestCommands.queue(name, waiter), LockReply.Granted.class);
    }

    private void expectUnavailable(String name, AcquisitionId holder) {
        for (LockCommand command : List.of(acquire(name, id()), renew(name, holder))) {
            assertThat(answered(store, command, LockReply.Unavailable.class).cause())
                    .hasMessageContaining("TRYAGAIN");
        }
    }

    @Test
    void batch_overAllNodes_isAnsweredInOrder() {
        Map<String, AcquisitionId> ids = new LinkedHashMap<>();
        for (int number = 0; number < 60; number++) {
            ids.put("of a batch " + number, id());
        }
        assertThat(ids.keySet().stream()
                        .map(name -> cluster.owner(SlotNames.of(name)))
                        .distinct())
                .hasSize(3);

        List<LockCommand> commands = new ArrayList<>();
        ids.forEach((name, id) -> commands.add(acquire(name, id)));
        List<LockReply> replies = store.execute(commands, TestCommands.CALL);

        int at = 0;
        for (Map.Entry<String, AcquisitionId> each : ids.entrySet()) {
            long token = ((LockReply.Granted) replies.get(at++)).token();
            assertThat(answered(store, renew(each.getKey(), each.getValue()), LockReply.Granted.class)
                            .token())
                    .isEqualTo(token);
        }
    }

    private void awaitWaiting(String name) {
        Await.until("one waits for " + name, () -> {
            try (var locks = store.list(name, TestCommands.CALL)) {
                return locks.anyMatch(lock -> !lock.waiters().isEmpty());
            }
        });
    }
}
