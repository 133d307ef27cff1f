package dev.holdfast.lock.bench.alone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.peer.Place;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of an observation that does not come to anything. */
class ObservedTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void whatWasSeenIsThere() throws Exception {
        Quantity quantity = new Quantity("answer", 42, "");

        assertThat(observed(() -> List.of(quantity), LONG).quantities()).containsExactly(quantity);
    }

    @Test
    void whatThrewHasFailed() throws Exception {
        Observed observed = observed(
                () -> {
                    throw new IllegalStateException("no such luck");
                },
                LONG);

        assertThat(observed.result()).isEqualTo(new Observed.Failed("java.lang.IllegalStateException: no such luck"));
        assertThat(observed.quantities()).isEmpty();
    }

    @Test
    void whatHangsIsInterruptedAndLeft() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);

        Observed observed = observed(
                () -> {
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        interrupted.countDown();
                    }
                    return List.of();
                },
                Duration.ofMillis(50));

        assertThat(observed.result()).isEqualTo(new Observed.Failed("did not finish within 0 s"));
        assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void whatMissesSomethingIsNotTried() throws Exception {
        Observation observation =
                new Stub(() -> {
                    throw new AssertionError("tried");
                }) {
                    @Override
                    public Optional<String> missing() {
                        return Optional.of("a jar");
                    }
                };

        assertThat(Observed.of(observation, new Place(0, "", "", 1), LONG).result())
                .isEqualTo(new Observed.Skipped("a jar"));
    }

    private static Observed observed(Callable<List<Quantity>> run, Duration limit) throws InterruptedException {
        return Observed.of(new Stub(run), new Place(0, "", "", 1), limit);
    }

    /** Does as it is told. */
    private static class Stub implements Observation {

        private final Callable<List<Quantity>> run;

        Stub(Callable<List<Quantity>> run) {
            this.run = run;
        }

        @Override
        public String id() {
            return "stub";
        }

        @Override
        public String title() {
            return "stub";
        }

        @Override
        public List<Quantity> run(Place place) throws Exception {
            return run.call();
        }
    }
}
