package dev.holdfast.lock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({"500ms,PT0.5S", "30s,PT30S", "5m,PT5M", "2h,PT2H", "1d,PT24H", "PT1M30S,PT90S", "0s,PT0S", "-PT1S,PT-1S"
    })
    void parse_unitsAndIso_returnsTheDuration(String text, Duration duration) {
        assertThat(DurationText.parse(text)).isEqualTo(duration);
        assertThat(DurationText.parse(DurationText.format(duration))).isEqualTo(duration);
    }

    @ParameterizedTest
    @CsvSource({"PT90S,90s", "PT1H,1h", "PT0.25S,250ms", "PT48H,2d", "PT0.0000001S,PT0.0000001S"})
    void format_anyDuration_isTheShortestExactForm(Duration duration, String text) {
        assertThat(DurationText.format(duration)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "30", "s", "-5s", "1.5s", "30 s", "5min", "999999999999d"})
    void parse_anyOtherText_throwsIllegalArgument(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurationText.parse(text))
                .withMessageContaining("'" + text + "'");
    }
}
