package dev.holdfast.lock.composite.faults;

import static dev.holdfast.lock.composite.faults.Composites.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.LocksOpener;
import dev.holdfast.lock.testing.OwnThread;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/**
 * A master grants a lock, its replicas hear nothing of it, it dies, and one of them takes its place. With Redis alone two hold the
 * lock then; with the composite one does, and goes on holding it. The same contenders, and the same judge, for both.
 */
@Tag("second-build")
@Execution(ExecutionMode.CONCURRENT)
class LostGrantTest {

    private static final int MANY = 50;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** What a token of the application's has more than the store's. */
    private static final int HANDOFF_BITS = 8;

    private static final Composites COMPOSITES = Composites.shared();

    @Test
    void redisAlone_whenTheGrantIsLost_hasTwoHolders() throws Exception {
        try (Round alone = new Round("alone", new MasterAndReplica(), "redis")) {
            alone.loseTheGrant();

            Await.until(
                    "two holders are seen", () -> !alone.history.violations().isEmpty());
            assertThat(alone.history.violations()).allMatch(each -> each.startsWith("two holders: Hold[holder=holder"));
        }
    }

    @Test
    void composite_whenAReplicaIsPromotedByHand_keepsOneHolder() throws Exception {
        assertTheHolderKeepsTheLock("by-hand", new MasterAndReplica());
    }

    @Test
    void composite_whenSentinelsPromoteAReplica_keepsOneHolder() throws Exception {
        assertTheHolderKeepsTheLock("by-sentinels", new SentinelRedis());
    }

    @Tag("long")
    @Test
    void composite_whenReplicasArePromotedRepeatedly_keepsOneHolder() throws Exception {
        for (int number = 0; number < MANY; number++) {
            assertTheHolderKeepsTheLock("time-" + number, new MasterAndReplica());
        }
    }

    private static void assertTheHolderKeepsTheLock(String namespace, ReplicatedRedis redis) throws Exception {
        try (Round both = new Round(namespace, redis, "stepped")) {
            both.loseTheGrant();
            COMPOSITES.pass(
                    namespace,
                    "the database grants",
                    () -> COMPOSITES.mode(namespace).equals("FALLBACK"));
            COMPOSITES.pass(namespace, Composites.TIMING.lease().multipliedBy(3));

            assertThat(both.history.holdsOf(Round.CONTENDER)).isEmpty();
            assertThat(both.lease.isHeld()).isTrue();
            assertThat(both.release()).isTrue();

            both.contenders.awaitProgress("by the database");
            both.contenders.end();
            both.history.verify(2);
            assertThat(both.history.holdsOf(Round.CONTENDER))
                    .allMatch(each -> each.token() > both.lease.fencingToken());
        }
    }

    /** A Redis whose replicas lag, and two processes that want the same lock. */
    private static final class Round implements AutoCloseable {

        private static final String CONTENDER = "contender-1";

        private final String name;
        private final History history = new History();
        private final ReplicatedRedis redis;
        private final Locks ofHolder;
        private final Locks ofContender;
        private final Contenders contenders;
        private Lease lease;
        private volatile boolean over;
        private CompletableFuture<Void> holding = CompletableFuture.completedFuture(null);

        Round(String name, ReplicatedRedis redis, String provider) {
            this.name = name;
            this.redis = redis;
            Properties configuration = COMPOSITES.configuration(name);
            configuration.setProperty("lock.provider", provider);
            configuration.setProperty("lock.redis.uri", redis.uri());
            if (provider.equals("redis")) {
                configuration.keySet().removeIf(key -> key.toString().matches("lock\\.(composite|jdbc)\\..*"));
                ofHolder = LocksOpener.open(configuration);
                ofContender = LocksOpener.open(configuration);
            } else {
                ofHolder = COMPOSITES.open(configuration);
                ofContender = COMPOSITES.open(configuration);
            }
            contenders = new Contenders(history, List.of(name), 1);
        }

        /** One is granted the lock by a master that dies, and another asks for it. */
        void loseTheGrant() throws Exception {
            redis.cutReplication();
            lease = ofHolder.named(name).acquire(LONG);
            String grant = " " + (lease.fencingToken() >> HANDOFF_BITS) + " ";
            assertThat(locks(redis.master())).as("locks, at the master").anyMatch(each -> each.contains(grant));
            holding = CompletableFuture.runAsync(this::hold, OwnThread.EACH);
            Await.until("the hold is recorded", () -> !history.holdsOf("holder").isEmpty()); // before any other
            contenders.begin("contender", ofContender, 1);

            RedisServer promoted = redis.failOver();

            assertThat(locks(promoted)).as("locks, at the promoted replica").noneMatch(each -> each.contains(grant));
        }

        private void hold() {
            Claims claims = history.claimsOf("holder");
            long claim = claims.granted(lease);
            while (!over && claims.isHeld(claim, lease)) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }

        /** Whether it was held until then. */
        boolean release() throws Exception {
            over = true;
            Await.result(holding);
            return lease.release();
        }

        /** What is held there, each with its token. */
        private List<String> locks(RedisServer server) {
            try (RedisClient client = server.client()) {
                return client.keys("*:lock:" + name).stream().map(client::get).toList();
            }
        }

        @Override
        public void close() {
            over = true;
            holding.join();
            contenders.close();
            ofContender.close();
            ofHolder.close();
            redis.close();
        }
    }
}
