package dev.holdfast.lock.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many calls pay, by how long they take. */
class CallPacingTest {

    private static final long NEARBY = TimeUnit.MICROSECONDS.toNanos(40);
    private static final long FAR_AWAY = TimeUnit.MILLISECONDS.toNanos(1);

    private final CallPacing pacing = new CallPacing(8);

    @Test
    void store_thatWasNotMeasured_getsAllCalls() {
        assertThat(pacing.batches(8)).isEqualTo(4);
        assertThat(pacing.singleCallers()).isEqualTo(8);
    }

    @Test
    void storeNearby_getsOneBatchAtATime() {
        pacing.measured(NEARBY);
        pacing.measured(FAR_AWAY); // waited for a processor

        assertThat(pacing.batches(8)).isEqualTo(1);
        assertThat(pacing.singleCallers()).isEqualTo(4);
    }

    @Test
    void storeFurtherAway_getsMoreCallsTheLongerTheyTake() {
        pacing.measured(TimeUnit.MICROSECONDS.toNanos(150));
        assertThat(pacing.batches(8)).isEqualTo(2);
        assertThat(pacing.singleCallers()).isEqualTo(8);

        CallPacing far = new CallPacing(8);
        far.measured(FAR_AWAY);
        assertThat(far.batches(8)).isEqualTo(4);
    }

    @Test
    void storeThatMovesFarAway_getsMoreCallsAgain() {
        pacing.measured(NEARBY);
        for (int call = 0; call < 2_000; call++) {
            pacing.measured(FAR_AWAY);
        }
        assertThat(pacing.batches(8)).isEqualTo(4);
    }

    @Test
    void storeNearby_withManyCallers_getsSeveralBatchesAtATime() {
        pacing.measured(NEARBY);

        assertThat(pacing.batches(31)).isEqualTo(1);
        assertThat(pacing.batches(32)).isEqualTo(2);
        assertThat(pacing.batches(1_000)).isEqualTo(4);
    }

    @Test
    void storeForOneCall_getsNoMore() {
        CallPacing one = new CallPacing(1);
        one.measured(FAR_AWAY);
        assertThat(one.batches(8)).isEqualTo(1);
        assertThat(one.singleCallers()).isEqualTo(1);
    }
}
