package dev.holdfast.lock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.Logged;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.failover.Clock;
import dev.holdfast.lock.spi.failover.GrantValidity;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Warnings about locks that are left to expire because their release failed. */
@ResourceLock(Resources.SYSTEM_ERR)
class ExpiryWarningsTest {

    private final Engine engine = new Engine(
            new EngineContext(
                    Clock.SYSTEM,
                    (delay, task) -> () -> {}, // timers do nothing after the close
                    (lane, requests) -> {},
                    GrantValidity.UNLIMITED,
                    consumer -> () -> {},
                    Runnable::run,
                    Runnable::run,
                    () -> 1),
            "here",
            Set.of(),
            TurnLimits.on(Duration.ZERO, OptionalInt.of(1)),
            0);

    private void left(String name) {
        engine.warnOfExpiry(new LockName(name), new IllegalStateException("no reply"));
    }

    @Test
    void expiryWarnings_gatheredBeforeClose_areLoggedAtClose() {
        assertThat(Logged.during(() -> left("one"))).contains("WARN", "'one' is left to expire", "no reply");
        assertThat(Logged.during(() -> {
                    left("two");
                    left("three");
                }))
                .isEmpty();

        assertThat(Logged.during(engine::abandon)).contains("2 more are left to expire, 'three' the latest");
        assertThat(Logged.during(engine::abandon)).isEmpty();
    }
}
