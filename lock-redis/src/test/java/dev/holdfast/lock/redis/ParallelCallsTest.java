package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ParallelCallsTest {

    private final ParallelCalls calls = new ParallelCalls();

    @Test
    void number_beforeEnoughRoundTrips_isTheGreatest() {
        answered(ParallelCalls.ROUND_TRIPS - 1, 30);
        assertThat(calls.number()).isEqualTo(ParallelCalls.MAX);
    }

    @Test
    void number_atShortRoundTrips_isSmallSoThatCallersMeetInBatches() {
        answered(ParallelCalls.ROUND_TRIPS, 30);
        assertThat(calls.number()).isEqualTo(2);
    }

    @Test
    void number_atLongRoundTrips_isTheGreatest() {
        answered(ParallelCalls.ROUND_TRIPS, 30);
        answered(ParallelCalls.ROUND_TRIPS, 500);
        assertThat(calls.number()).isEqualTo(ParallelCalls.MAX);
    }

    @Test
    void number_ofRoundTripsThatWaited_isThatOfTheShortest() {
        answered(ParallelCalls.ROUND_TRIPS - 1, 5_000);
        answered(1, 100);
        assertThat(calls.number()).isEqualTo(4);
    }

    @Test
    void number_whenOneOfTheLastRoundTripsWasShort_forgetsIt() {
        answered(ParallelCalls.ROUND_TRIPS, 30);
        answered(ParallelCalls.ROUND_TRIPS, 160);
        assertThat(calls.number()).isEqualTo(6);
    }

    private void answered(int times, long micros) {
        for (int at = 0; at < times; at++) {
            calls.answered(Duration.ofNanos(micros * 1_000).toNanos());
        }
    }
}
