package dev.holdfast.lock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.measurement.Result;
import dev.holdfast.lock.bench.solo.HeldLeases;
import dev.holdfast.lock.bench.solo.RedisTraffic;
import dev.holdfast.lock.bench.solo.SoloResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TargetsTest {

    private static final String PAIR_TO_JEDIS = "Redis, uncontended pair, to bare Jedis";
    private static final String THROUGHPUT = "Redis, 8 threads on 8 locks, to bare Jedis";
    private static final String PROCESSES = "Redis, 4 × 250 on one lock, to the fastest peer";
    private static final String CROWD = "Redis, 1,000 threads on one lock, to a fair lock of the JDK";
    private static final String ORDER = "Redis, 100 threads that arrive one after another, overtaken in any round";

    private static final String RENEWAL = "Redis, 100,000 held leases, renewal, of one core in %";
    private static final String COMMANDS = "client commands to Redis per acquire and release, at any contention";

    private final RunBuilder run = new RunBuilder();
    private final List<SoloResult> soloResults = new ArrayList<>();

    @Test
    void ratio_whenRoundsDiffer_isThatOfTheMedians() {
        run.measured(1, "pair", "holdfast-redis", Map.of(Metric.P50, 30.0))
                .measured(2, "pair", "holdfast-redis", Map.of(Metric.P50, 44.0))
                .measured(3, "pair", "holdfast-redis", Map.of(Metric.P50, 900.0))
                .measured(1, "pair", "jedis-setnx", Map.of(Metric.P50, 40.0));

        assertThat(target(PAIR_TO_JEDIS))
                .isEqualTo(new Target(PAIR_TO_JEDIS, true, 1.1, 1.1, "holdfast-redis 44.0 µs, jedis-setnx 40.0 µs"));
        assertThat(target(PAIR_TO_JEDIS).met()).isTrue();
    }

    @Test
    void target_whenValueIsAboveAnUpperLimit_isMissed() {
        run.measured(1, "pair", "holdfast-redis", Map.of(Metric.P50, 45.0))
                .measured(1, "pair", "jedis-setnx", Map.of(Metric.P50, 40.0));

        assertThat(target(PAIR_TO_JEDIS).met()).isFalse();
    }

    @Test
    void throughputTarget_whenValueIsAtItsLowerLimit_isMet() {
        run.measured(1, "threads-8", "holdfast-redis", Map.of(Metric.THROUGHPUT, 45_000.0))
                .measured(1, "threads-8", "jedis-setnx", Map.of(Metric.THROUGHPUT, 50_000.0));

        assertThat(target(THROUGHPUT).value()).isEqualTo(0.9);
        assertThat(target(THROUGHPUT).met()).isTrue();
    }

    @Test
    void ratio_whenSeveralPeersFinished_isToTheFastest() {
        run.measured(1, "processes", "holdfast-redis", Map.of(Metric.TOTAL, 100.0))
                .measured(1, "processes", "redisson", Map.of(Metric.TOTAL, 800.0))
                .measured(1, "processes", "for-update", Map.of(Metric.TOTAL, 200.0))
                .measured(1, "processes", "jedis-setnx", Map.of(Metric.TOTAL, 1.0))
                .timedOut(1, "processes", "advisory-lock");

        assertThat(target(PROCESSES).value()).isEqualTo(0.5);
        assertThat(target(PROCESSES).met()).isFalse();
        assertThat(target(PROCESSES).basis()).isEqualTo("holdfast-redis 100 ms, for-update 200 ms");
    }

    @Test
    void crowdTarget_whenHalfAsSlowAgainAsTheJdk_isMet() {
        run.measured(1, "crowd", "holdfast-redis", Map.of(Metric.TOTAL, 150.0))
                .measured(1, "crowd", "redisson", Map.of(Metric.TOTAL, 800.0))
                .measured(1, "crowd", "jdk-fair-lock", Map.of(Metric.TOTAL, 100.0));

        assertThat(target(CROWD).value()).isEqualTo(1.5);
        assertThat(target(CROWD).met()).isTrue();
    }

    @Test
    void orderTarget_whenOneRoundHasAnOvertake_isMissed() {
        run.measured(1, "order", "holdfast-redis", Map.of(Metric.OVERTAKEN, 0.0))
                .measured(2, "order", "holdfast-redis", Map.of(Metric.OVERTAKEN, 1.0))
                .measured(3, "order", "holdfast-redis", Map.of(Metric.OVERTAKEN, 0.0));

        assertThat(target(ORDER).met()).isFalse();
    }

    @Test
    void target_whenNotMeasured_isNeitherMetNorMissed() {
        run.measured(1, "pair", "holdfast-redis", Map.of(Metric.P50, 45.0)).timedOut(1, "pair", "jedis-setnx");

        assertThat(target(PAIR_TO_JEDIS).met()).isNull();
        assertThat(target(PAIR_TO_JEDIS).basis()).isEqualTo("no figure of jedis-setnx in pair");
        assertThat(Targets.of(run.summary(), soloResults)).allMatch(target -> target.value() == null);
    }

    @Test
    void leaseTargets_whenFewerLeasesWereHeld_haveNoValue() {
        solo("held-leases", new Quantity(HeldLeases.PROCESSOR, 5.5, "%"), new Quantity(HeldLeases.HELD, 99_999, ""));

        assertThat(target(RENEWAL).value()).isNull();
        assertThat(target(RENEWAL).basis()).isEqualTo("99999 leases were held at the end");

        soloResults.clear();
        solo("held-leases", new Quantity(HeldLeases.PROCESSOR, 5.5, "%"), new Quantity(HeldLeases.HELD, 100_000, ""));

        assertThat(target(RENEWAL)).isEqualTo(new Target(RENEWAL, true, 3, 5.5, HeldLeases.PROCESSOR + " 5.50 %"));
        assertThat(target(RENEWAL).met()).isFalse();
    }

    @Test
    void commandTarget_whenContentionsDiffer_isThatOfTheGreatest() {
        solo(
                "traffic",
                new Quantity(RedisTraffic.COMMANDS + "one thread", 2, "commands"),
                new Quantity(RedisTraffic.COMMANDS + "2 processes", 2.5, "commands"),
                new Quantity("sent", 300, "bytes"));

        assertThat(target(COMMANDS))
                .isEqualTo(new Target(COMMANDS, true, 3, 2.5, RedisTraffic.COMMANDS + "2 processes 2.50 commands"));
    }

    private void solo(String id, Quantity... quantities) {
        soloResults.add(new SoloResult(id, id, Result.of(List.of(quantities))));
    }

    private Target target(String what) {
        return Targets.of(run.summary(), soloResults).stream()
                .filter(each -> each.what().equals(what))
                .findFirst()
                .orElseThrow();
    }
}
