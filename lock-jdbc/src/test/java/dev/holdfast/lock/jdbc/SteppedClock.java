package dev.holdfast.lock.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is stepped. */
public final class SteppedClock implements InstantSource {

    private final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.now().truncatedTo(ChronoUnit.MICROS));

    @Override
    public Instant instant() {
        return now.get();
    }

    /** Commands it, also back. */
    public void step(Duration by) {
        now.updateAndGet(instant -> instant.plus(by));
    }
}
