package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClockWatchTest {

    private final AtomicLong wallMillis = new AtomicLong(1_700_000_000_000L);
    private final AtomicLong nanos = new AtomicLong(-5);
    private final ClockWatch clocks = new ClockWatch(wallMillis::get, nanos::get);

    private void pass(Duration time) {
        wallMillis.addAndGet(time.toMillis());
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void remark_whileTimePasses_isEmpty() {
        pass(Duration.ofHours(1));
        wallMillis.addAndGet(19);
        assertThat(clocks.remark()).isEmpty();
    }

    @Test
    void remark_whenTheClockWasSetBack_saysByHowMuch() {
        pass(Duration.ofSeconds(15));
        wallMillis.addAndGet(-8_010);
        assertThat(clocks.remark()).contains("set back by 8010ms");
    }

    @Test
    void remark_whenTheClockWasSetForward_saysByHowMuch() {
        wallMillis.addAndGet(2_000);
        assertThat(clocks.remark()).contains("set forward by 2s");
    }
}
