package dev.holdfast.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.testing.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StoreQueueTest {

    private static final AcquisitionId ONE = new AcquisitionId(0, 1);
    private static final AcquisitionId TWO = new AcquisitionId(0, 2);
    private static final AcquisitionId THREE = new AcquisitionId(0, 3);
    private static final AcquisitionId FOUR = new AcquisitionId(0, 4);
    private static final Instant START = Instant.parse("2026-01-02T03:04:05.678901234Z");
    private static final LockReply BUSY = new LockReply.Busy(Duration.ZERO);
    private static final LockReply RELEASED = new LockReply.Released(true);
    private static final LockReply WITHDRAWN = new LockReply.Released(false);
    private static final TakenPermits NONE = TakenPermits.NONE;
    private static final TakenPermits HELD = NONE.plus(Share.EXCLUSIVE);
    private static final List<TakenPermits> TAKEN =
            List.of(NONE, HELD, NONE.plus(Share.shared()), NONE.plus(new Share(2, 4)));
    private static final List<Share> SHARES = List.of(Share.EXCLUSIVE, Share.shared(), new Share(2, 4));

    @Test
    void admit_ofAFreeLock_isForTheFirstWaiterUntilItsClaimWindowEnds() {
        StoreQueue queue = queueOf(ONE, TWO);
        Instant end = START.plus(QueueTimes.CLAIM_WINDOW);

        assertThat(queue.admit(ONE, Share.EXCLUSIVE, NONE, START)).isTrue();
        assertThat(queue.admit(TWO, Share.EXCLUSIVE, NONE, end.minusNanos(1))).isFalse();
        assertThat(queue.admit(TWO, Share.EXCLUSIVE, NONE, end)).isTrue();
        assertThat(queue.ids()).containsExactly(TWO);
    }

    @Test
    void settle_ofAReleasedLock_returnsTheFirstWaiterOnce() {
        StoreQueue queue = queueOf(ONE, TWO);
        queue.settle(BUSY, false, HELD, START);

        assertThat(queue.settle(RELEASED, false, NONE, START)).containsExactly(ONE);
        assertThat(queue.settle(BUSY, false, NONE, START)).isEmpty();
    }

    @Test
    void settle_ofAKeptLock_returnsTheFirstWaiterOfARelease() {
        StoreQueue queue = queueOf(ONE, TWO);

        assertThat(queue.settle(RELEASED, true, HELD, START)).containsExactly(ONE);
        assertThat(queue.claimWindows()).isEmpty();
    }

    @Test
    void settle_afterAWithdrawal_returnsTheNextFirstWaiterAlone() {
        StoreQueue queue = queueOf(ONE, TWO, THREE);
        queue.settle(BUSY, false, HELD, START);
        queue.withdraw(THREE);
        assertThat(queue.settle(WITHDRAWN, false, HELD, START)).isEmpty();
        queue.withdraw(ONE);

        assertThat(queue.settle(WITHDRAWN, false, HELD, START)).containsExactly(TWO);
    }

    @Test
    void settle_ofAStoredReservation_returnsNone() {
        StoreQueue queue = queueOf(ONE, TWO);
        queue.settle(RELEASED, false, NONE, START);

        assertThat(stored(queue).settle(BUSY, false, NONE, START.plusMillis(1))).isEmpty();
    }

    @Test
    void retryAfter_ofAReservedLock_endsWithTheClaimWindowOfTheFirst() {
        StoreQueue queue = queueOf(ONE, TWO);
        assertThat(queue.admit(TWO, Share.EXCLUSIVE, NONE, START)).isFalse();
        Instant now = START.plusMillis(500);

        assertThat(queue.retryAfter(TWO, null, now)).isEqualTo(QueueTimes.CLAIM_WINDOW.minusMillis(500));
        assertThat(queue.retryAfter(ONE, null, now)).isZero();
    }

    // Shares

    @Test
    void admit_ofReaders_isForAllBeforeTheFirstWriterAtOnce() {
        StoreQueue queue = new StoreQueue();
        queue.join(ONE, "", Share.shared(), START);
        queue.join(TWO, "", Share.shared(), START);
        queue.join(THREE, "", Share.EXCLUSIVE, START);
        queue.join(FOUR, "", Share.shared(), START);

        assertThat(queue.settle(RELEASED, false, NONE, START)).containsExactly(ONE, TWO);
        assertThat(queue.admit(TWO, Share.shared(), NONE, START)).isTrue();
        assertThat(queue.admit(THREE, Share.EXCLUSIVE, NONE, START)).isFalse();
        assertThat(queue.admit(FOUR, Share.shared(), NONE, START)).isFalse();
    }

    @Test
    void admit_ofANewcomer_passesNoWaiterThatItDoesNotFitBeside() {
        StoreQueue queue = new StoreQueue();
        TakenPermits two = TakenPermits.NONE.plus(new Share(2, 4));
        queue.join(ONE, "", new Share(3, 4), START);

        assertThat(queue.admit(TWO, new Share(1, 4), two, START)).isFalse();
        assertThat(queue.admit(ONE, new Share(3, 4), NONE, START)).isTrue();
        assertThat(queue.admit(TWO, new Share(1, 4), NONE, START)).isTrue();
        assertThat(queue.admit(TWO, new Share(2, 4), NONE, START)).isFalse();
    }

    @Test
    void deadReaders_thatAreDueTogether_delayAWriterByOneClaimWindow() {
        StoreQueue queue = new StoreQueue();
        queue.join(ONE, "", Share.shared(), START);
        queue.join(TWO, "", Share.shared(), START);
        queue.join(THREE, "", Share.EXCLUSIVE, START);
        queue.settle(RELEASED, false, NONE, START);
        Instant end = START.plus(QueueTimes.CLAIM_WINDOW);

        assertThat(queue.admit(THREE, Share.EXCLUSIVE, NONE, end.minusNanos(1))).isFalse();
        assertThat(queue.admit(THREE, Share.EXCLUSIVE, NONE, end)).isTrue();
        assertThat(queue.ids()).containsExactly(THREE);
    }

    @Test
    void claimWindow_ofAReaderBehindADeadOne_isItsOwn() {
        StoreQueue queue = new StoreQueue();
        queue.join(ONE, "", Share.shared(), START);
        queue.settle(RELEASED, false, NONE, START);
        Instant later = START.plusSeconds(1);
        queue.join(TWO, "", Share.shared(), later);
        queue.settle(BUSY, false, NONE, later);

        Instant end = START.plus(QueueTimes.CLAIM_WINDOW);
        assertThat(queue.admit(THREE, Share.EXCLUSIVE, NONE, end)).isFalse();
        assertThat(queue.ids()).containsExactly(TWO);
        assertThat(queue.claimWindows()).containsExactly(new StoreQueue.ClaimWindow(TWO, later));
    }

    @Test
    void settle_afterTheWithdrawalOfADueWaiter_returnsTheNextThoughItIsNotDue() {
        StoreQueue queue = new StoreQueue();
        TakenPermits reader = TakenPermits.NONE.plus(Share.shared());
        queue.join(ONE, "", Share.shared(), START);
        queue.join(TWO, "", Share.EXCLUSIVE, START);
        queue.settle(RELEASED, false, reader, START);
        StoreQueue restored = stored(queue);

        for (StoreQueue each : List.of(queue, restored)) {
            each.withdraw(ONE);
            assertThat(each.settle(WITHDRAWN, false, reader, START)).containsExactly(TWO);
        }
    }

    @Test
    void claimWindow_ofAWaiterWhoseShareIsTakenAgain_isClosed() {
        StoreQueue queue = queueOf(ONE);
        queue.settle(RELEASED, false, NONE, START);

        queue.settle(BUSY, false, HELD, START);

        assertThat(queue.claimWindows()).isEmpty();
    }

    @Test
    void retryAfter_behindAReader_isWithinAClaimWindow() {
        StoreQueue queue = new StoreQueue();
        for (int number = 0; number < 10; number++) {
            queue.join(new AcquisitionId(1, number), "", Share.shared(), START);
        }
        queue.join(ONE, "", Share.EXCLUSIVE, START);

        assertThat(queue.retryAfter(ONE, START.plusSeconds(60), START)).isEqualTo(QueueTimes.CLAIM_WINDOW);
    }

    /** Whatever is asked, a queue that is stored after each command decides as one that is kept in memory. */
    @Test
    void queue_storedAfterEachCommand_decidesTheSame() {
        long seed = Seeds.any();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            StoreQueue kept = new StoreQueue();
            StoreQueue stored = new StoreQueue();
            Instant now = START;
            TakenPermits taken = HELD;
            for (int step = 0; step < 60; step++) {
                now = now.plusMillis(random.nextInt(10) == 0 ? random.nextInt(16_000) : random.nextInt(900));
                int kind = random.nextInt(4);
                if (kind == 0) {
                    taken = TAKEN.get(random.nextInt(TAKEN.size()));
                }
                int number = random.nextInt(5);
                AcquisitionId id = new AcquisitionId(0, number);
                Share share = SHARES.get(number % SHARES.size());

                String of = "seed " + seed + ", round " + round + ", step " + step;
                assertThat(decisions(stored, kind, id, share, taken, now))
                        .as(of)
                        .isEqualTo(decisions(kept, kind, id, share, taken, now));
                stored = stored(stored);
            }
        }
    }

    private static List<Object> decisions(
            StoreQueue queue, int kind, AcquisitionId id, Share share, TakenPermits taken, Instant now) {
        queue.openClaimWindows(taken, now.minusMillis(100));
        boolean admitted = queue.admit(id, share, taken, now);
        Duration retryAfter = Duration.ZERO;
        LockReply reply = BUSY;
        if (kind == 1) {
            queue.withdraw(id);
            reply = WITHDRAWN;
        } else if (admitted) {
            queue.removeGranted(id);
        } else {
            queue.join(id, "", share, now);
            retryAfter = queue.retryAfter(id, now.plusSeconds(1), now);
        }
        List<AcquisitionId> next = queue.settle(reply, kind == 2, taken, now);
        return List.of(admitted, retryAfter, next, queue.places(), queue.claimWindows(), queue.nextExpiry());
    }

    private static StoreQueue queueOf(AcquisitionId... ids) {
        StoreQueue queue = new StoreQueue();
        for (AcquisitionId id : ids) {
            queue.join(id, "", Share.EXCLUSIVE, START);
        }
        return queue;
    }

    private static StoreQueue stored(StoreQueue queue) {
        return new StoreQueue(queue.places(), queue.claimWindows());
    }
}
