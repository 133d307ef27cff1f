package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.OwnThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/**
 * Failover by sentinels. A replica may not have received the latest grants, so that two may hold the same lock for a while, which
 * plain Redis does not promise to prevent: tokens are judged, exclusion is not. A forgotten holder learns of its loss, tokens go on
 * rising, and locks recover by themselves.
 */
@Tag("second-build")
@Execution(ExecutionMode.CONCURRENT)
class SentinelFailoverTest {

    private Sentinels sentinels;

    @BeforeEach
    void start() {
        sentinels = Sentinels.start();
    }

    @AfterEach
    void stop() {
        if (sentinels != null) { // else there are none to be had
            sentinels.close();
        }
    }

    @Test
    void locks_afterEachSentinelFailover_continueWithGreaterTokens() throws Exception {
        List<String> names =
                IntStream.range(0, 4).mapToObj(each -> "lock " + each).toList();
        History history = new History();
        Failovers failovers = new Failovers(history);
        try (Locks one = open(); // a release that no replica has heard of comes to an end with its lease
                Locks other = open();
                Contenders contenders = new Contenders(history, names, 1);
                LongHolders holders = new LongHolders(history, "held on")) {
            contenders.begin("one", one, 3);
            contenders.begin("other", other, 3);
            holders.begin("one", one);
            holders.begin("other", other);
            contenders.awaitProgress("at first");

            failovers.make(one, "after the first", sentinels::failOver);
            contenders.awaitProgress("after a master was killed");

            RedisServer frozen = sentinels.master();
            try {
                failovers.make(one, "after the second", () -> {
                    frozen.freeze();
                    sentinels.failOver(frozen);
                });
                contenders.awaitProgress("while a master is frozen");
            } finally {
                frozen.thaw();
            }
            for (int round = 0; round < 3; round++) { // it believes to be the master for a while yet
                contenders.awaitProgress("after the frozen master came back, round " + round);
            }
            contenders.end();
            holders.end();
            failovers.verifyTokens(4 * 3 * names.size());
        }
    }

    @Test
    void unreplicatedLease_afterFailover_isLostAndOthersStay() throws Exception {
        History history = new History();
        try (Locks mine = Application.open(sentinels.uri());
                Locks others = Application.open(sentinels.uri())) {
            Lease known = mine.named("known").acquire();
            CompletableFuture<Lease> waiter =
                    CompletableFuture.supplyAsync(() -> Await.lease(others.named("known")), OwnThread.EACH);
            sentinels.tolerateStrayReplicas();
            for (RedisServer replica : sentinels.replicas()) {
                try (RedisClient admin = replica.client()) {
                    Await.until("the replica knows the waiter", () -> Application.waiting(admin, "known") == 1);
                    Administrator.order(admin, "REPLICAOF", "127.0.0.1", "1");
                }
            }
            Lease unknown = mine.named("unknown")
                    .withLease(Duration.ofSeconds(30)) // renewed every ten
                    .acquire();
            history.claimsOf("mine").hold(unknown);
            AtomicInteger losses = new AtomicInteger();
            unknown.onLost(loss -> losses.incrementAndGet());

            sentinels.failOver();

            Await.until("the holder is told", () -> losses.get() == 1);
            assertThat(unknown.state()).isEqualTo(LeaseState.LOST);
            Lease next = Await.lease(others.named("unknown"));
            history.claimsOf("others").hold(next);
            assertThat(next.release()).isTrue();
            history.verifyTokens(2);

            assertThat(known.state()).isEqualTo(LeaseState.HELD);
            assertThat(waiter).isNotDone();
            assertThat(known.release()).isTrue();
            Lease served = Await.result(waiter);
            assertThat(served.fencingToken()).isGreaterThan(known.fencingToken());
            assertThat(served.release()).isTrue();
        }
    }

    private Locks open() {
        return Application.open(sentinels.uri(), "lock.lease", "5s", "lock.call-timeout", "1s");
    }
}
