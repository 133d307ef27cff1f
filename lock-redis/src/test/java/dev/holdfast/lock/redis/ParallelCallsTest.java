package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.ParallelCalls.FULL_BATCH;
import static dev.holdfast.lock.redis.ParallelCalls.MAX;
import static dev.holdfast.lock.redis.ParallelCalls.MIN;
import static dev.holdfast.lock.redis.ParallelCalls.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ParallelCallsTest {

    private static final long NEAR = 30;
    private static final long FAR = 500;

    private final ParallelCalls calls = new ParallelCalls();

    @Test
    void number_beforeAnythingWasMeasured_isThatOfALongRoundTrip() {
        singleCalls(WINDOW - 1, NEAR);
        assertThat(calls.number()).isEqualTo(MAX);
    }

    @Test
    void number_atShortRoundTrips_isSmallSoThatCallersMeetInBatches() {
        singleCalls(WINDOW, NEAR);
        assertThat(calls.number()).isEqualTo(MIN);
    }

    @Test
    void number_atLongRoundTrips_isTheGreatestForSingleCalls() {
        singleCalls(WINDOW, NEAR);
        singleCalls(WINDOW, FAR);
        assertThat(calls.number()).isEqualTo(MAX);
    }

    @Test
    void number_ofRoundTripsThatWaited_isThatOfTheShortest() {
        singleCalls(WINDOW - 1, 5_000);
        singleCalls(1, 100);
        assertThat(calls.number()).isEqualTo(4);
    }

    @Test
    void number_whenOneOfTheLastRoundTripsWasShort_forgetsIt() {
        singleCalls(WINDOW, NEAR);
        singleCalls(WINDOW, 160);
        assertThat(calls.number()).isEqualTo(6);
    }

    @Test
    void number_ofBatchesAtAnyRoundTrip_keepsWhatSingleCallsSaid() {
        singleCalls(WINDOW, FAR);
        parallelBatches(1, 2);
        assertThat(calls.number()).isEqualTo(MAX);
    }

    @Test
    void number_whenCallersFillMoreBatches_isThatManyBatches() {
        singleCalls(WINDOW, NEAR);
        parallelBatches(3, FULL_BATCH);
        assertThat(calls.number()).isEqualTo(2 * 3 - 1);
    }

    @Test
    void number_whenCallersFillTooManyBatches_isTheGreatest() {
        singleCalls(WINDOW, NEAR);
        parallelBatches(WINDOW, FULL_BATCH);
        assertThat(calls.number()).isEqualTo(MAX);
    }

    @Test
    void number_whenFewerCallersAreLeft_isSmallAgain() {
        singleCalls(WINDOW, NEAR);
        parallelBatches(4, FULL_BATCH);
        parallelBatches(1, FULL_BATCH);
        assertThat(calls.number()).isEqualTo(MIN);
    }

    private void singleCalls(int times, long micros) {
        for (int at = 0; at < times; at++) {
            calls.began(1);
            calls.ended(1, Duration.ofNanos(micros * 1_000).toNanos());
        }
    }

    /** A window of batches, this many of which are under way at a time. */
    private void parallelBatches(int atATime, int commands) {
        for (int done = 0; done < WINDOW; done += atATime) {
            for (int at = 0; at < atATime; at++) {
                calls.began(commands);
            }
            for (int at = 0; at < atATime; at++) {
                calls.ended(commands, Duration.ofMillis(1).toNanos());
            }
        }
    }
}
