package dev.holdfast.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StoreQueueTest {

    private static final AcquisitionId ONE = new AcquisitionId(0, 1);
    private static final AcquisitionId TWO = new AcquisitionId(0, 2);
    private static final AcquisitionId THREE = new AcquisitionId(0, 3);
    private static final Instant START = Instant.parse("2026-01-02T03:04:05.678901234Z");
    private static final LockReply BUSY = new LockReply.Busy(Duration.ZERO);
    private static final LockReply RELEASED = new LockReply.Released(true);
    private static final LockReply WITHDRAWN = new LockReply.Released(false);

    @Test
    void admit_ofAFreeLock_isForTheFirstWaiterUntilItsClaimWindowEnds() {
        StoreQueue queue = queueOf(ONE, TWO);
        Instant end = START.plus(QueueTimes.CLAIM_WINDOW);

        assertThat(queue.admit(ONE, START, START)).isTrue();
        assertThat(queue.admit(TWO, START, end.minusNanos(1))).isFalse();
        assertThat(queue.admit(TWO, START, end)).isTrue();
        assertThat(queue.ids()).containsExactly(TWO);
    }

    @Test
    void settle_ofAReleasedLock_returnsTheFirstWaiterOnce() {
        StoreQueue queue = queueOf(ONE, TWO);
        queue.settle(BUSY, null, START);

        assertThat(queue.settle(RELEASED, START, START)).isEqualTo(ONE);
        assertThat(queue.settle(BUSY, START, START)).isNull();
    }

    @Test
    void settle_ofAKeptLock_returnsTheFirstWaiterOfARelease() {
        StoreQueue queue = queueOf(ONE, TWO);

        assertThat(queue.settle(RELEASED, null, START)).isEqualTo(ONE);
        assertThat(queue.claimWindow()).isNull();
    }

    @Test
    void settle_afterAWithdrawal_returnsTheNextFirstWaiterAlone() {
        StoreQueue queue = queueOf(ONE, TWO, THREE);
        queue.settle(BUSY, null, START);
        queue.withdraw(THREE);
        assertThat(queue.settle(WITHDRAWN, null, START)).isNull();
        queue.withdraw(ONE);

        assertThat(queue.settle(WITHDRAWN, null, START)).isEqualTo(TWO);
    }

    @Test
    void settle_ofAStoredReservation_returnsNone() {
        StoreQueue queue = queueOf(ONE, TWO);
        queue.settle(RELEASED, START, START);

        assertThat(stored(queue).settle(BUSY, START, START.plusMillis(1))).isNull();
    }

    @Test
    void retryAfter_ofAReservedLock_endsWithTheClaimWindowOfTheFirst() {
        StoreQueue queue = queueOf(ONE, TWO);
        assertThat(queue.admit(TWO, START, START)).isFalse();
        Instant now = START.plusMillis(500);

        assertThat(queue.retryAfter(TWO, null, now)).isEqualTo(QueueTimes.CLAIM_WINDOW.minusMillis(500));
        assertThat(queue.retryAfter(ONE, null, now)).isZero();
    }

    /** Whatever is asked, a queue that is stored after each command decides as one that is kept in memory. */
    @Test
    void queue_storedAfterEachCommand_decidesTheSame() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            StoreQueue kept = new StoreQueue();
            StoreQueue stored = new StoreQueue();
            Instant now = START;
            boolean isFree = false;
            for (int step = 0; step < 60; step++) {
                now = now.plusMillis(random.nextInt(10) == 0 ? random.nextInt(16_000) : random.nextInt(900));
                int kind = random.nextInt(4);
                boolean wasFree = isFree;
                isFree = kind == 0 ? !isFree : isFree;
                AcquisitionId id = new AcquisitionId(0, random.nextInt(5));
                Instant freeSince = isFree ? now.minusMillis(random.nextInt(3) * 100L) : null;

                String of = "seed " + seed + ", round " + round + ", step " + step;
                assertThat(decisions(stored, kind, id, wasFree, freeSince, now))
                        .as(of)
                        .isEqualTo(decisions(kept, kind, id, wasFree, freeSince, now));
                stored = stored(stored);
            }
        }
    }

    private static List<Object> decisions(
            StoreQueue queue, int kind, AcquisitionId id, boolean wasFree, @Nullable Instant freeSince, Instant now) {
        queue.dropExpired(now);
        boolean admitted = wasFree && queue.admit(id, now, now);
        Duration retryAfter = Duration.ZERO;
        LockReply reply = BUSY;
        if (kind == 1) {
            queue.withdraw(id);
            reply = WITHDRAWN;
        } else if (admitted) {
            queue.removeGranted(id);
        } else {
            queue.join(id, "", now);
            retryAfter = queue.retryAfter(id, now.plusSeconds(1), now);
        }
        AcquisitionId next = queue.settle(reply, freeSince, now);
        return List.of(admitted, retryAfter, String.valueOf(next), queue.places(), queue.nextExpiry());
    }

    private static StoreQueue queueOf(AcquisitionId... ids) {
        StoreQueue queue = new StoreQueue();
        for (AcquisitionId id : ids) {
            queue.join(id, "", START);
        }
        return queue;
    }

    private static StoreQueue stored(StoreQueue queue) {
        return new StoreQueue(queue.places(), queue.claimWindow());
    }
}
