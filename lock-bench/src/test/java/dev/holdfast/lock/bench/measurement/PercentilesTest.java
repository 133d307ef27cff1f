package dev.holdfast.lock.bench.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {

    @Test
    void at_whenShareLiesBetweenSamples_returnsTheNextMeasuredSample() {
        List<Long> samples =
                new ArrayList<>(LongStream.rangeClosed(1, 1_000).boxed().toList());
        Collections.shuffle(samples, new Random(7));

        Percentiles percentiles = new Percentiles(samples);

        assertThat(percentiles.at(0.5)).isEqualTo(500);
        assertThat(percentiles.at(0.99)).isEqualTo(990);
        assertThat(percentiles.at(0.999)).isEqualTo(999);
        assertThat(percentiles.at(1)).isEqualTo(1_000);
        assertThat(percentiles.at(0)).isEqualTo(1);
    }

    @Test
    void median_whenNumberOfSamplesIsEven_returnsTheMeanOfTheMiddleTwo() {
        assertThat(new Percentiles(List.of(4, 1, 3, 2)).median()).isEqualTo(2.5);
        assertThat(new Percentiles(List.of(9, 1, 3)).median()).isEqualTo(3);
    }

    @Test
    void minAndMax_whenSamplesAreUnordered_returnTheExtremes() {
        Percentiles percentiles = new Percentiles(List.of(4, 1, 3));

        assertThat(percentiles.min()).isEqualTo(1);
        assertThat(percentiles.max()).isEqualTo(4);
    }

    @Test
    void constructor_whenThereAreNoSamples_throws() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Percentiles(List.of()));
    }
}
