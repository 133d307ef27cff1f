package dev.holdfast.lock.spi.time;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DualClockInstantTest {

    private static final int CASES = 20_000;
    private static final Duration TICK = Duration.ofNanos(1);

    private final long seed = Seeds.any();
    private final Random random = new Random(seed);

    @Test
    void isAfter_atAnyTwoInstants_agreesWithLeftAt() {
        for (int i = 0; i < CASES; i++) {
            DualClockInstant now = randomInstant();
            DualClockInstant end = near(now);

            assertThat(end.isAfter(now))
                    .as("seed %d: %s after %s", seed, end, now)
                    .isEqualTo(end.leftAt(now).compareTo(Duration.ZERO) > 0);
        }
    }

    @Test
    void leftAt_whileBothClocksGoOn_isExactlyHowLongTheInstantIsAhead() {
        for (int i = 0; i < CASES; i++) {
            DualClockInstant now = randomInstant();
            DualClockInstant end = near(now);
            Duration promised = end.leftAt(now);
            if (promised.compareTo(Duration.ZERO) > 0) {
                assertThat(end.isAfter(now.plus(promised.minus(TICK))))
                        .as("seed %d: %s after %s, a nanosecond before", seed, end, now)
                        .isTrue();
                assertThat(end.isAfter(now.plus(promised)))
                        .as("seed %d: %s after %s, at the promised time", seed, end, now)
                        .isFalse();
            }
        }
    }

    @Test
    void sooner_ofTwoInstants_isOverAsSoonAsEither() {
        for (int i = 0; i < CASES; i++) {
            DualClockInstant now = randomInstant();
            DualClockInstant one = near(now);
            DualClockInstant other = near(now);

            assertThat(one.sooner(other).isAfter(now))
                    .as("seed %d: the sooner of %s and %s after %s", seed, one, other, now)
                    .isEqualTo(one.isAfter(now) && other.isAfter(now));
        }
    }

    @Test
    void endOf_aLease_isAThousandthEarlyOnBothClocks() {
        DualClockInstant sent = DualClockInstant.of(17, Instant.parse("2026-01-02T03:04:05.678901234Z"));

        assertThat(sent.endOf(Duration.ofSeconds(30)))
                .isEqualTo(DualClockInstant.of(29_970_000_017L, Instant.parse("2026-01-02T03:04:35.648901234Z")));
    }

    /** A wall clock of whole milliseconds ended leases up to a millisecond before the time that they had promised. */
    @Test
    void systemClock_always_countsFractionsOfAMillisecond() {
        assertThat(Stream.generate(Clock.SYSTEM::now).limit(100)).anyMatch(now -> now.wallNanos() % 1_000_000 != 0);
    }

    private DualClockInstant randomInstant() {
        long wall = 1_767_000_000_000_000_000L + random.nextLong(1_000_000_000_000L);
        return new DualClockInstant(random.nextLong(), wall); // a monotonic clock may run over
    }

    /** An instant within three milliseconds on either clock; often the clocks say almost the same. */
    private DualClockInstant near(DualClockInstant instant) {
        long nanos = random.nextLong(-3_000_000, 3_000_000);
        long wall = random.nextBoolean() ? nanos + random.nextLong(-2, 3) : random.nextLong(-3_000_000, 3_000_000);
        return new DualClockInstant(instant.nanos() + nanos, instant.wallNanos() + wall);
    }
}
