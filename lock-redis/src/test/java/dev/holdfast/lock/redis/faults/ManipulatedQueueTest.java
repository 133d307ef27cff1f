package dev.holdfast.lock.redis.faults;

import static dev.holdfast.lock.redis.faults.TestCommands.LEASE;
import static dev.holdfast.lock.redis.faults.TestCommands.acquire;
import static dev.holdfast.lock.redis.faults.TestCommands.answered;
import static dev.holdfast.lock.redis.faults.TestCommands.ask;
import static dev.holdfast.lock.redis.faults.TestCommands.id;
import static dev.holdfast.lock.redis.faults.TestCommands.queue;
import static dev.holdfast.lock.redis.faults.TestCommands.release;
import static dev.holdfast.lock.redis.faults.TestCommands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.params.SetParams;

/** One lock and its queue after times have passed, keys were deleted, rights were revoked, or memory ran out. */
class ManipulatedQueueTest extends QueueFixture {

    @Test
    void newFirstWaiter_afterWithdrawal_hasTheWholeClaimWindow() {
        heldAndWaitedForBy(first, second, third);
        long leaseEnd = now() - 1_800;
        admin.del(LOCK);
        admin.set(TURN, Long.toString(leaseEnd), SetParams.setParams().keepTtl());
        admin.zadd(SEEN, (double) (leaseEnd - QueueTimes.WAITER_TTL.toMillis() - 500), first.toString());

        long before = now();
        assertThat(ask(store, release(NAME, second))).isEqualTo(new LockReply.Released(false));

        assertThat(Long.parseLong(admin.get(TURN))).as("since when it is kept").isGreaterThanOrEqualTo(before);
        assertThat(admin.zrange(QUEUE, 0, -1)).containsExactly(third.toString());
        answered(store, queue(NAME, third), LockReply.Granted.class);
    }

    @Test
    void release_withoutRightToPublish_isCarriedOut() {
        Administrator.order(admin, "ACL", "SETUSER", "u", "on", ">secret", "~*", "allchannels", "+@all");
        try (LockStore limited =
                TestStores.store(server.uri(), "lock.redis.username", "u", "lock.redis.password", "secret")) {
            heldAndWaitedForBy(first);
            Administrator.order(admin, "ACL", "SETUSER", "u", "resetchannels");

            assertThat(ask(limited, release(NAME, holder))).isEqualTo(new LockReply.Released(true));

            answered(limited, queue(NAME, first), LockReply.Granted.class);
        }
    }

    @Test
    void withdrawal_whenMemoryIsFull_leavesTombstone() {
        heldAndWaitedForBy(first);
        admin.configSet("maxmemory", "1");
        try {
            assertThat(ask(store, withdrawal(first))).isEqualTo(new LockReply.Released(false));
            assertThat(ask(store, withdrawal(second)))
                    .as("whose place was never heard of")
                    .isEqualTo(new LockReply.Released(false));
        } finally {
            admin.configSet("maxmemory", "0");
        }

        assertThat(admin.exists(QUEUE)).isFalse();
        assertThat(ask(store, queue(NAME, first))).isEqualTo(new LockReply.Gone());
        assertThat(ask(store, queue(NAME, second))).isEqualTo(new LockReply.Gone());
    }

    @Test
    void releaseWithMinimumHold_whenMemoryIsFull_isCarriedOut() {
        answered(store, acquire(NAME, holder), LockReply.Granted.class);
        admin.configSet("maxmemory", "1");
        try {
            assertThat(ask(store, releaseAfter(MINUTE))).isEqualTo(new LockReply.Released(true));
        } finally {
            admin.configSet("maxmemory", "0");
        }

        assertThat(admin.pttl(LOCK)).as("how long it is kept").isBetween(1L, MINUTE.toMillis());
        assertThat(ask(store, renew(NAME, holder))).isEqualTo(new LockReply.Gone());
        answered(store, acquire(NAME, first), LockReply.Busy.class);
    }

    @Test
    void minimumHold_afterClockSetBack_isNotLonger() {
        answered(store, acquire(NAME, holder), LockReply.Granted.class);
        String[] held = admin.get(LOCK).split(" ", 5);
        held[3] = Long.toString((now() + Duration.ofHours(1).toMillis()) * 1_000);
        admin.set(LOCK, String.join(" ", held), SetParams.setParams().keepTtl());

        assertThat(ask(store, releaseAfter(MINUTE))).isEqualTo(new LockReply.Released(true));

        assertThat(admin.pttl(LOCK)).isBetween(1L, MINUTE.toMillis());
    }

    @Test
    void waiter_afterQueueDeleted_getsAPlaceAgain() {
        heldAndWaitedForBy(first);
        admin.del(QUEUE);

        assertThat(answered(store, queue(NAME, first), LockReply.Queued.class).retryAfter())
                .isPositive();

        assertThat(admin.zrange(QUEUE, 0, -1)).containsExactly(first.toString());
        for (String key : List.of(TURN, QUEUE, SEEN, OWNERS)) {
            assertThat(admin.pttl(key)).as("what is left of " + key).isPositive();
        }
        answered(store, release(NAME, holder), LockReply.Released.class);
        answered(store, queue(NAME, first), LockReply.Granted.class);
    }

    @Test
    void withdrawal_withoutReservation_removesThePlace() {
        heldAndWaitedForBy(first, second);
        admin.del(TURN);

        assertThat(ask(store, release(NAME, first))).isEqualTo(new LockReply.Released(false));

        assertThat(admin.zrange(QUEUE, 0, -1)).containsExactly(second.toString());
    }

    @Test
    void lockWithoutExpiry_afterRenewal_expiresAgain() {
        answered(store, acquire(NAME, holder), LockReply.Granted.class);
        assertThat(admin.persist(LOCK)).isEqualTo(1);

        assertThat(answered(store, queue(NAME, first), LockReply.Queued.class).retryAfter())
                .isPositive();
        assertThat(answered(store, acquire(NAME, second), LockReply.Busy.class).retryAfter())
                .isPositive();
        assertThat(answered(store, acquire(NAME, holder), LockReply.Granted.class)
                        .remaining())
                .isEqualTo(LEASE);
        assertThat(admin.pttl(LOCK)).as("the lock without expiry").isEqualTo(-1);
        assertThat(answered(store, renew(NAME, holder), LockReply.Granted.class).remaining())
                .isEqualTo(LEASE);

        assertThat(admin.pttl(LOCK)).isBetween(1L, LEASE.toMillis());
    }

    @Test
    void acquire_withoutTokenLeft_changesNothing() {
        heldAndWaitedForBy(first, second);
        answered(store, release(NAME, holder), LockReply.Released.class);
        admin.set(
                TURN,
                Long.toString(now() - QueueTimes.CLAIM_WINDOW.toMillis() - 1),
                SetParams.setParams().keepTtl());
        Map<String, String> before = contents();

        LockCommand greedy =
                new LockCommand.Acquire(new LockName(NAME), third, LEASE, true, LockReply.Granted.MAX_TOKEN, "a test");
        assertThat(answered(store, greedy, LockReply.Unavailable.class).cause())
                .hasMessageContaining("no token is left");

        assertThat(contents()).isEqualTo(before);
    }

    /** By the holder. */
    private LockCommand releaseAfter(Duration minimumHold) {
        return new LockCommand.Release(new LockName(NAME), holder, minimumHold, Duration.ZERO);
    }

    private static LockCommand withdrawal(AcquisitionId id) {
        return new LockCommand.Release(new LockName(NAME), id, Duration.ZERO, LEASE);
    }

    private Map<String, String> contents() {
        Map<String, String> contents = new TreeMap<>();
        admin.keys("*").forEach(key -> contents.put(key, Arrays.toString(admin.dump(key))));
        return contents;
    }
}
