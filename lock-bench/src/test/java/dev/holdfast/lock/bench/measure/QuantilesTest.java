package dev.holdfast.lock.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class QuantilesTest {

    @Test
    void isTheLeastSampleThatIsNotBelowTheShare() {
        List<Long> samples =
                new ArrayList<>(LongStream.rangeClosed(1, 1_000).boxed().toList());
        Collections.shuffle(samples, new Random(7));

        Quantiles quantiles = Quantiles.of(samples);

        assertThat(quantiles.at(0.5)).isEqualTo(500);
        assertThat(quantiles.at(0.99)).isEqualTo(990);
        assertThat(quantiles.at(0.999)).isEqualTo(999);
        assertThat(quantiles.at(1)).isEqualTo(1_000);
        assertThat(quantiles.at(0)).isEqualTo(1);
    }

    @Test
    void theMedianOfAnEvenNumberIsBetweenBothInTheMiddle() {
        assertThat(Quantiles.of(List.of(4, 1, 3, 2)).median()).isEqualTo(2.5);
        assertThat(Quantiles.of(List.of(9, 1, 3)).median()).isEqualTo(3);
    }

    @Test
    void knowsTheLeastAndTheMost() {
        Quantiles quantiles = Quantiles.of(List.of(4, 1, 3));

        assertThat(quantiles.least()).isEqualTo(1);
        assertThat(quantiles.most()).isEqualTo(4);
    }

    @Test
    void ofNothingThereAreNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> Quantiles.of(List.of()));
    }
}
