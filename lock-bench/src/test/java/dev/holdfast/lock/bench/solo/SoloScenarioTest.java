package dev.holdfast.lock.bench.solo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.measurement.Result;
import dev.holdfast.lock.bench.measurement.Result.Status;
import dev.holdfast.lock.bench.server.Endpoints;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SoloScenarioTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Endpoints NO_SERVERS = new Endpoints(0, "", "", 1);

    @Test
    void run_whenProcedureReturns_hasItsQuantities() throws Exception {
        Quantity quantity = new Quantity("answer", 42, "");

        assertThat(run(endpoints -> List.of(quantity), LONG).quantities()).containsExactly(quantity);
    }

    @Test
    void run_whenProcedureThrows_fails() throws Exception {
        SoloResult solo = run(
                endpoints -> {
                    throw new IllegalStateException("no such luck");
                },
                LONG);

        assertThat(solo.result())
                .isEqualTo(Result.missing(Status.FAILED, "java.lang.IllegalStateException: no such luck"));
        assertThat(solo.quantities()).isEmpty();
    }

    @Test
    void run_whenProcedureHangs_interruptsItAndFails() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        SoloResult solo;
        do { // again if the machine stood still, so that the limit was over before the procedure had begun
            solo = run(
                    endpoints -> {
                        begun.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } finally {
                            interrupted.countDown();
                        }
                        return List.of();
                    },
                    Duration.ofSeconds(2));
        } while (begun.getCount() > 0);

        assertThat(solo.result()).isEqualTo(Result.missing(Status.FAILED, "did not finish within 2 s"));
        assertThat(interrupted.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void run_whenSomethingIsMissing_isSkipped() throws Exception {
        SoloScenario scenario = new SoloScenario("stub", "stub", Optional.of("a jar"), endpoints -> {
            throw new AssertionError("run");
        });

        assertThat(scenario.run(NO_SERVERS, LONG).result()).isEqualTo(Result.missing(Status.SKIPPED, "a jar"));
    }

    private static SoloResult run(SoloScenario.Procedure procedure, Duration limit) throws InterruptedException {
        return new SoloScenario("stub", "stub", procedure).run(NO_SERVERS, limit);
    }
}
