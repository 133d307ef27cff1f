package dev.holdfast.lock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.alone.HeldLeases;
import dev.holdfast.lock.bench.alone.Observed;
import dev.holdfast.lock.bench.alone.Quantity;
import dev.holdfast.lock.bench.alone.Traffic;
import dev.holdfast.lock.bench.measure.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TargetsTest {

    private static final String BESIDE_JEDIS = "Redis, uncontended pair, beside bare Jedis";
    private static final String THROUGHPUT = "Redis, 8 threads on 8 locks, beside bare Jedis";
    private static final String CROWD = "Redis, 1,000 threads on one lock, beside the fastest peer";
    private static final String ORDER = "Redis, 100 threads that came one after another, overtaken in any round";

    private static final String RENEWAL = "Redis, 100,000 held leases, renewal, of one core in %";
    private static final String COMMANDS = "client commands to Redis per acquire and release, however contended";

    private final Run run = new Run();
    private final List<Observed> observations = new ArrayList<>();

    @Test
    void aRatioIsThatOfTheMedians() {
        run.measured(1, "pair", "holdfast-redis", Map.of(Figure.P50, 30.0))
                .measured(2, "pair", "holdfast-redis", Map.of(Figure.P50, 44.0))
                .measured(3, "pair", "holdfast-redis", Map.of(Figure.P50, 900.0))
                .measured(1, "pair", "jedis-setnx", Map.of(Figure.P50, 40.0));

        assertThat(target(BESIDE_JEDIS))
                .isEqualTo(new Target(BESIDE_JEDIS, true, 1.1, 1.1, "holdfast-redis 44.0 µs, jedis-setnx 40.0 µs"));
        assertThat(target(BESIDE_JEDIS).met()).isTrue();
    }

    @Test
    void whatIsAboveItsLimitIsMissed() {
        run.measured(1, "pair", "holdfast-redis", Map.of(Figure.P50, 45.0))
                .measured(1, "pair", "jedis-setnx", Map.of(Figure.P50, 40.0));

        assertThat(target(BESIDE_JEDIS).met()).isFalse();
    }

    @Test
    void ofThroughputMoreIsBetter() {
        run.measured(1, "threads-8", "holdfast-redis", Map.of(Figure.THROUGHPUT, 50_000.0))
                .measured(1, "threads-8", "jedis-setnx", Map.of(Figure.THROUGHPUT, 25_000.0));

        assertThat(target(THROUGHPUT).value()).isEqualTo(2);
        assertThat(target(THROUGHPUT).met()).isTrue();
    }

    @Test
    void theFastestOfThosePeersThatFinishedCounts() {
        run.measured(1, "crowd", "holdfast-redis", Map.of(Figure.TOTAL, 50.0))
                .measured(1, "crowd", "redisson", Map.of(Figure.TOTAL, 800.0))
                .measured(1, "crowd", "for-update", Map.of(Figure.TOTAL, 200.0))
                .measured(1, "crowd", "jedis-setnx", Map.of(Figure.TOTAL, 1.0))
                .unfinished(1, "crowd", "advisory-lock");

        assertThat(target(CROWD).value()).isEqualTo(0.25);
        assertThat(target(CROWD).met()).isFalse();
        assertThat(target(CROWD).basis()).isEqualTo("holdfast-redis 50.0 ms, for-update 200 ms");
    }

    @Test
    void theOrderIsThatOfTheWorstRound() {
        run.measured(1, "order", "holdfast-redis", Map.of(Figure.OVERTAKEN, 0.0))
                .measured(2, "order", "holdfast-redis", Map.of(Figure.OVERTAKEN, 1.0))
                .measured(3, "order", "holdfast-redis", Map.of(Figure.OVERTAKEN, 0.0));

        assertThat(target(ORDER).met()).isFalse();
    }

    @Test
    void whatWasNotMeasuredIsNeitherMetNorMissed() {
        run.measured(1, "pair", "holdfast-redis", Map.of(Figure.P50, 45.0)).unfinished(1, "pair", "jedis-setnx");

        assertThat(target(BESIDE_JEDIS).met()).isNull();
        assertThat(target(BESIDE_JEDIS).basis()).isEqualTo("no figure of jedis-setnx in pair");
        assertThat(Targets.of(run.summary(), observations)).allMatch(target -> target.value() == null);
    }

    @Test
    void leasesAnswerForAsManyAsWerePromised() {
        observed(
                "held-leases", new Quantity(HeldLeases.PROCESSOR, 5.5, "%"), new Quantity(HeldLeases.HELD, 99_999, ""));

        assertThat(target(RENEWAL).value()).isNull();
        assertThat(target(RENEWAL).basis()).isEqualTo("99999 leases were held at the end");

        observations.clear();
        observed(
                "held-leases",
                new Quantity(HeldLeases.PROCESSOR, 5.5, "%"),
                new Quantity(HeldLeases.HELD, 100_000, ""));

        assertThat(target(RENEWAL)).isEqualTo(new Target(RENEWAL, true, 5, 5.5, HeldLeases.PROCESSOR + " 5.50 %"));
        assertThat(target(RENEWAL).met()).isFalse();
    }

    @Test
    void theMostCommandsOfAnyCrowdCount() {
        observed(
                "traffic",
                new Quantity(Traffic.COMMANDS + "one thread", 2, "commands"),
                new Quantity(Traffic.COMMANDS + "2 processes", 2.5, "commands"),
                new Quantity("sent", 300, "bytes"));

        assertThat(target(COMMANDS))
                .isEqualTo(new Target(COMMANDS, true, 3, 2.5, Traffic.COMMANDS + "2 processes 2.50 commands"));
    }

    private void observed(String id, Quantity... quantities) {
        observations.add(new Observed(id, id, new Observed.Seen(List.of(quantities))));
    }

    private Target target(String what) {
        return Targets.of(run.summary(), observations).stream()
                .filter(each -> each.what().equals(what))
                .findFirst()
                .orElseThrow();
    }
}
