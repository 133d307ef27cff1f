package dev.holdfast.lock.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminationPolicyTest {

    private final TerminationPolicy policy = new TerminationPolicy(Duration.ofSeconds(12));

    @ParameterizedTest
    @CsvSource({
        "HELD,12000,false",
        "HELD,3500,false",
        "HELD,3000,true",
        "UNCONFIRMED,8000,false",
        "UNCONFIRMED,4001,false",
        "UNCONFIRMED,4000,true",
        "LOST,0,true",
        "RELEASED,0,true"
    })
    void mustTerminate_byStateAndRemainingTime_isTrueFromThirdOfUnconfirmedOrQuarterOfAnyLease(
            LeaseState state, long remaining, boolean expected) {
        assertThat(policy.mustTerminate(state, Duration.ofMillis(remaining))).isEqualTo(expected);
    }

    @Test
    void gracePeriod_whenUnconfirmed_endsWithSixthOfLeaseLeft() {
        assertThat(policy.gracePeriod(LeaseState.UNCONFIRMED, Duration.ofSeconds(4)))
                .hasSeconds(2);
        assertThat(policy.gracePeriod(LeaseState.UNCONFIRMED, Duration.ofSeconds(1)))
                .isZero();
    }

    @Test
    void gracePeriod_whenLost_is200Milliseconds() {
        assertThat(policy.gracePeriod(LeaseState.LOST, Duration.ZERO)).hasMillis(200);
    }

    @Test
    void pause_always_endsBeforeCommandMayHaveToEnd() {
        assertThat(policy.pause(Duration.ofSeconds(12))).hasSeconds(1);
        assertThat(policy.pause(Duration.ofMillis(4_300))).hasMillis(300);
        assertThat(policy.pause(Duration.ofMillis(3_500))).hasMillis(10);
    }
}
