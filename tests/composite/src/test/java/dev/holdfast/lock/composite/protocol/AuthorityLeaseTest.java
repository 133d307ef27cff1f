package dev.holdfast.lock.composite.protocol;

import static dev.holdfast.lock.composite.protocol.Script.TIMING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Until when the holds of each epoch count, by what was read of the authority state: rules 1 and 2 of PROTOCOL.md. */
class AuthorityLeaseTest {

    private final AuthorityLease lease = new AuthorityLease(TIMING.lease());

    @Test
    void holdsOfTheFallback_whileAFailbackIsInProgressAndAfterIt_areProlonged() {
        read(3, FailoverPhase.FALLBACK, 0);
        read(4, FailoverPhase.FAILING_BACK, 3);
        assertThat(endOf(3)).isEqualTo(second(3).plus(TIMING.lease()));

        read(4, FailoverPhase.PRIMARY, 6);
        assertThat(endOf(3)).isEqualTo(second(6).plus(TIMING.lease()));
    }

    @Test
    void holdsOfTheFallback_whenTheFailbackIsAborted_lastAsTheFailbackHasProlongedThem() {
        read(3, FailoverPhase.FALLBACK, 0);
        read(4, FailoverPhase.FAILING_BACK, 3);
        read(5, FailoverPhase.FALLBACK, 6);

        assertThat(endOf(3)).isEqualTo(second(3).plus(TIMING.lease()));
        assertThat(endOf(5)).isEqualTo(second(6).plus(TIMING.lease()));
    }

    @Test
    void holdsOfTheFallback_whenThePrimaryIsDrained_lastAsThePrimaryHasProlongedThem() {
        read(3, FailoverPhase.FALLBACK, 0);
        read(4, FailoverPhase.PRIMARY, 3);
        read(5, FailoverPhase.DRAINING, 6);

        assertThat(endOf(3)).isEqualTo(second(3).plus(TIMING.lease()));
        assertThat(endOf(4)).isEqualTo(second(3).plus(TIMING.lease()));
    }

    @Test
    void holdsOfAnEpoch_whenItIsRepeatedlySuperseded_areForgottenInTheEnd() {
        for (int epoch = 2; epoch < 100; epoch++) {
            read(epoch, FailoverPhase.PRIMARY, epoch);
        }

        AuthorityLease.Snapshot known = lease.snapshot();
        assertThat(known).isNotNull();
        assertThat(known.earlierEnds()).hasSizeLessThan(10);
        assertThat(endOf(2)).isNull();
    }

    @Test
    void holdsOfTheEpoch_whenAnEarlierRequestIsAnsweredLast_areNotShortened() {
        read(3, FailoverPhase.FALLBACK, 6);
        lease.read(Script.authorityState(3, FailoverPhase.FALLBACK), second(3), second(7));

        assertThat(endOf(3)).isEqualTo(second(6).plus(TIMING.lease()));
    }

    @Test
    void knowledge_whenTheSameStateIsReadAgain_datesFromTheFirstReading() {
        read(3, FailoverPhase.DRAINING, 0);
        read(3, FailoverPhase.DRAINING, 3);

        assertThat(lease.knownFor(second(6))).isEqualTo(Duration.ofSeconds(6));
    }

    private void read(long epoch, FailoverPhase phase, int second) {
        lease.read(Script.authorityState(epoch, phase), second(second), second(second));
    }

    private @Nullable DualClockInstant endOf(long epoch) {
        AuthorityLease.Snapshot known = lease.snapshot();
        assertThat(known).isNotNull();
        return known.endOf(epoch);
    }

    private static DualClockInstant second(int number) {
        long nanos = Duration.ofSeconds(number).toNanos();
        return new DualClockInstant(nanos, nanos);
    }
}
