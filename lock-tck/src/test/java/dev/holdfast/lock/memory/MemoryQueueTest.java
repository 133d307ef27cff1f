package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The exact times of the reference's queue, and whom it signals when. */
class MemoryQueueTest {

    private static final LockName JOB = new LockName("job");
    private static final AcquisitionId ONE = new AcquisitionId(0, 1);
    private static final AcquisitionId TWO = new AcquisitionId(0, 2);
    private static final AcquisitionId THREE = new AcquisitionId(0, 3);
    private static final AcquisitionId FOUR = new AcquisitionId(0, 4);
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofNanos(1);
    private static final Duration NONE = Duration.ZERO;

    private Instant now = Instant.parse("2026-01-02T03:04:05.678901234Z");
    private final MemorySpace space = new MemorySpace(() -> now);
    private final LockStore store = space.open();

    @Test
    void aReservationEndsExactlyAtItsEnd() {
        queue(ONE, TWO, THREE);
        release(ONE, NONE);
        now = now.plus(QueueTimes.RESERVATION).minus(MOMENT);
        assertThat(tryAcquire(FOUR)).isInstanceOf(Answer.Busy.class);
        assertThat(acquire(THREE)).isEqualTo(new Answer.Waiting(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void itBeginsWhenTheLeaseEndsThoughNobodyAsks() {
        ask(new Step.Acquire(JOB, ONE, Duration.ofSeconds(3), false, 0, ""));
        queue(TWO, THREE);
        now = now.plusSeconds(3).plus(QueueTimes.RESERVATION).minus(MOMENT);
        assertThat(acquire(THREE)).isEqualTo(new Answer.Waiting(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void itBeginsWhenTheMinimumHoldEnds() {
        queue(ONE, TWO, THREE);
        release(ONE, Duration.ofSeconds(3));
        assertThat(acquire(TWO)).isEqualTo(new Answer.Waiting(Duration.ofSeconds(3)));
        now = now.plusSeconds(3).plus(QueueTimes.RESERVATION).minus(MOMENT);
        assertThat(acquire(THREE)).isEqualTo(new Answer.Waiting(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void itBeginsAnewForTheNext() {
        queue(ONE, TWO, THREE, FOUR);
        release(ONE, NONE);
        now = now.plus(QueueTimes.RESERVATION);
        assertThat(acquire(FOUR)).isEqualTo(new Answer.Waiting(QueueTimes.RESERVATION));
        now = now.plus(QueueTimes.RESERVATION).minus(MOMENT);
        assertThat(acquire(FOUR)).isEqualTo(new Answer.Waiting(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(FOUR)).isInstanceOf(Answer.Granted.class);
        assertThat(acquire(TWO)).as("dropped, it begins at the end").isInstanceOf(Answer.Waiting.class);
    }

    @Test
    void whoIsLateTakesTheLockIfNobodyElseHasAsked() {
        queue(ONE, TWO, THREE);
        release(ONE, NONE);
        now = now.plus(QueueTimes.RESERVATION.multipliedBy(3));

        assertThat(acquire(TWO)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void aPlaceLastsForExactlyAsLongAsATicket() {
        queue(ONE, TWO);
        now = now.plusSeconds(1);
        queue(THREE);
        now = now.plus(QueueTimes.TICKET).minusSeconds(1).minus(MOMENT);
        release(ONE, NONE);
        assertThat(acquire(THREE)).as("the other still has its place").isInstanceOf(Answer.Waiting.class);

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void whoAsksAgainKeepsItsPlaceForAsLongAgain() {
        queue(ONE, TWO, THREE);
        now = now.plus(QueueTimes.TICKET).minus(MOMENT);
        queue(TWO, THREE);
        now = now.plus(QueueTimes.TICKET).minus(MOMENT);
        release(ONE, NONE);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Waiting.class);
        assertThat(acquire(TWO)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void theFirstIsToldWhenTheLockIsFreeTheThreeAfterItToLookAfterItAndTheOthersToKeepTheirPlaces() {
        ask(new Step.Acquire(JOB, ONE, Duration.ofSeconds(2), false, 0, ""));
        now = now.plusSeconds(1);
        assertThat(acquire(TWO)).isEqualTo(new Answer.Waiting(Duration.ofSeconds(1)));
        assertThat(acquire(THREE)).isEqualTo(new Answer.Waiting(QueueTimes.RESERVATION));
        assertThat(acquire(FOUR)).isEqualTo(new Answer.Waiting(QueueTimes.RESERVATION));
        assertThat(acquire(number(5))).isEqualTo(new Answer.Waiting(QueueTimes.RESERVATION));
        for (int other = 6; other < 20; other++) {
            assertThat(acquire(number(other))).isEqualTo(new Answer.Waiting(QueueTimes.REFRESH));
        }
    }

    @Test
    void deadWaitersHoldUpTheNextForNoLongerThanAReservationEachHoweverEarlyTheRelease() {
        Duration step = Duration.ofMillis(300);
        for (int dead = 1; dead <= 3; dead++) {
            for (Duration early = step; early.compareTo(QueueTimes.TICKET) < 0; early = early.plus(step)) {
                assertThat(waitBehind(dead, early))
                        .as("after a release %s after %s waiters died", early, dead)
                        .isPositive()
                        .isLessThanOrEqualTo(QueueTimes.RESERVATION.multipliedBy(dead));
            }
        }
    }

    /** How long after the release a waiter has the lock that asks whenever it is told to, and hears of nothing. */
    private Duration waitBehind(int dead, Duration early) {
        queue(ONE);
        for (int at = 0; at < dead; at++) {
            queue(number(10 + at));
        }
        Instant released = now.plus(early);
        Answer answer = acquire(TWO);
        while (answer instanceof Answer.Waiting waiting) {
            Instant next = now.plus(waiting.askAgain());
            if (now.isBefore(released) && !next.isBefore(released)) {
                now = released;
                release(ONE, NONE);
            }
            now = next;
            answer = acquire(TWO);
        }
        assertThat(answer).isInstanceOf(Answer.Granted.class);
        release(TWO, NONE);
        return Duration.between(released, now);
    }

    private static AcquisitionId number(int number) {
        return new AcquisitionId(0, number);
    }

    @Test
    void nothingIsKeptAboutDeadWaiters() {
        queue(ONE, TWO);
        release(ONE, NONE);
        now = now.plus(QueueTimes.TICKET).minus(MOMENT);
        assertThat(space.namesInUse()).isOne();

        now = now.plus(MOMENT);

        assertThat(space.namesInUse()).isZero();
    }

    @Test
    void placesFromTheFutureAreForgotten() {
        queue(ONE, TWO);
        release(ONE, NONE);
        now = now.minusSeconds(1);

        assertThat(tryAcquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void whoeverBecomesTheFirstOfAFreeLockIsSignalledOnce() throws Exception {
        List<Signal> heard = new ArrayList<>();
        AutoCloseable signals = store.signals(heard::add);
        queue(ONE, TWO, THREE, FOUR);
        assertThat(heard).containsExactly(Signal.ANY);
        release(ONE, NONE);
        assertThat(heard).containsExactly(Signal.ANY, Signal.to(JOB, TWO));
        queue(THREE);
        release(TWO, NONE);
        assertThat(heard).hasSize(3).endsWith(Signal.to(JOB, THREE));
        now = now.plus(QueueTimes.RESERVATION);
        tryAcquire(ONE);
        assertThat(heard).hasSize(4).endsWith(Signal.to(JOB, FOUR));
        acquire(FOUR);
        release(FOUR, NONE);
        assertThat(heard).hasSize(4);

        signals.close();
        queue(ONE, TWO);
        release(ONE, NONE);
        assertThat(heard).hasSize(4);
    }

    private void queue(AcquisitionId... ids) {
        for (AcquisitionId id : ids) {
            acquire(id);
        }
    }

    private Answer acquire(AcquisitionId id) {
        return ask(new Step.Acquire(JOB, id, LEASE, true, 0, ""));
    }

    private Answer tryAcquire(AcquisitionId id) {
        return ask(new Step.Acquire(JOB, id, LEASE, false, 0, ""));
    }

    private void release(AcquisitionId id, Duration keep) {
        ask(new Step.Release(JOB, id, keep, NONE));
    }

    private Answer ask(Step step) {
        return store.apply(List.of(step), Duration.ofSeconds(10)).get(0);
    }
}
