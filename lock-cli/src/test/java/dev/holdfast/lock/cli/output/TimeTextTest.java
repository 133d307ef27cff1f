package dev.holdfast.lock.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Instants for people. */
class TimeTextTest {

    private final Instant now = Instant.parse("2026-11-21T15:02:03.5Z");
    private final TimeText times = new TimeText(() -> now, ZoneId.of("Asia/Kolkata"));

    @ParameterizedTest
    @CsvSource({
        "2026-11-21T15:02:03Z, 20:32:03 (just now)",
        "2026-11-21T15:02:05Z, 20:32:05 (just now)", // a store's clock is ahead
        "2026-11-21T15:01:53Z, 20:31:53 (10 s ago)",
        "2026-11-21T15:00:03Z, 20:30:03 (2 min ago)",
        "2026-11-20T18:30:00Z, 00:00:00 (20 h ago)",
        "2026-11-20T18:29:59Z, 20 Nov 23:59 (20 h ago)",
        "2025-12-31T18:29:59Z, 31 Dec 2025 (324 days ago)",
        "2026-11-01T12:00:00Z, 1 Nov 17:30 (20 days ago)"
    })
    void past_byDistance_showsTimeAndDistance(Instant instant, String read) {
        assertThat(times.past(instant)).isEqualTo(read);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-21T15:02:04Z, 20:32:04 (now)",
        "2026-11-21T15:01:00Z, 20:31:00 (now)",
        "2026-11-21T15:02:33Z, 20:32:33 (in 29 s)",
        "2026-11-21T16:02:03Z, 21:32:03 (in 59 min)",
        "2026-11-21T19:00:00Z, 22 Nov 00:30 (in 3 h)",
        "2126-11-21T15:02:03Z, 21 Nov 2126 (in 36523 days)"
    })
    void future_byDistance_showsTimeAndDistance(Instant instant, String read) {
        assertThat(times.future(instant)).isEqualTo(read);
    }
}
