package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VigilTest {

    private final Vigil vigil = new Vigil(Duration.ofSeconds(12));

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
    void theCommandHasToGoAtAThirdOfAnUnconfirmedLeaseAndAtAQuarterOfAny(
            LeaseState state, long remaining, boolean over) {
        assertThat(vigil.over(state, Duration.ofMillis(remaining))).isEqualTo(over);
    }

    @Test
    void theGraceEndsWithASixthOfTheLeaseLeft() {
        assertThat(vigil.grace(LeaseState.UNCONFIRMED, Duration.ofSeconds(4))).hasSeconds(2);
        assertThat(vigil.grace(LeaseState.UNCONFIRMED, Duration.ofSeconds(1))).isZero();
    }

    @Test
    void afterTheLossThereIsAlmostNone() {
        assertThat(vigil.grace(LeaseState.LOST, Duration.ZERO)).hasMillis(200);
    }

    @Test
    void itLooksAgainNoLaterThanTheCommandMayHaveToGo() {
        assertThat(vigil.pause(Duration.ofSeconds(12))).hasSeconds(1);
        assertThat(vigil.pause(Duration.ofMillis(4_300))).hasMillis(300);
        assertThat(vigil.pause(Duration.ofMillis(3_500))).hasMillis(10);
    }
}
