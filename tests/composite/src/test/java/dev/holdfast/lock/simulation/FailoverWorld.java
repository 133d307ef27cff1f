package dev.holdfast.lock.simulation;

import dev.holdfast.lock.composite.protocol.Timing;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;

/** What the processes of a run share. */
final class FailoverWorld {

    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    final VirtualTime time = new VirtualTime();
    final Network network = new Network();
    final FailoverWatch watch = new FailoverWatch(time);
    final Random random;
    final FailoverMutant mutant;
    final Timing timing;
    final int handoff;
    final SimulatedAuthority authority;
    final SimulatedRedis redis;
    private boolean authorityIsDown;

    FailoverWorld(long seed, FailoverMutant mutant) {
        this.random = new Random(seed);
        this.mutant = mutant;
        this.timing = new Timing(Duration.ofMillis(1_000 + 100 * random.nextInt(6)));
        this.handoff = random.nextBoolean() ? 1 : 16;
        this.authority = new SimulatedAuthority(
                newClock(), timing.lease(), new Listeners(), mutant, watch::asserted, watch::changed);
        this.redis = new SimulatedRedis(this);
    }

    /** A clock of its own rate, and wrong by some seconds. */
    InstantSource newClock() {
        double rate = 1 + (random.nextDouble() - 0.5) / 1000;
        long wrong = random.nextLong(10_000_000_000L);
        return () -> BEGINNING.plusNanos(wrong + (long) (time.now() * rate));
    }

    boolean isAuthorityDown() {
        return authorityIsDown;
    }

    void authorityGoesDown(long nanos) {
        authorityIsDown = true;
        time.after(nanos, () -> authorityIsDown = false);
    }
}
