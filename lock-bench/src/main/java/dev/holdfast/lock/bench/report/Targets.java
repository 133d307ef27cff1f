package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.alone.Observed;
import dev.holdfast.lock.bench.measure.Figure;
import java.util.ArrayList;
import java.util.List;

/**
 * What Holdfast aims at: ratios that a run answers, the same machine, the same minutes, the same servers; and what it needs by
 * itself.
 */
public final class Targets {

    private static final String REDIS = "holdfast-redis";
    private static final String POSTGRESQL = "holdfast-postgresql";
    private static final String STRICT = "-strict";
    private static final String BARE_REDIS = "jedis-setnx";
    private static final String SPRING_JDBC = "spring-jdbc";
    private static final String FOR_UPDATE = "for-update";
    private static final String ADVISORY = "advisory-lock";
    /** Those that wait, whatever they are kept in. */
    private static final List<String> PEERS = List.of("redisson", "spring-redis", SPRING_JDBC, FOR_UPDATE, ADVISORY);

    private static final String CROWD = "crowd";
    private static final String PROCESSES = "processes";

    private final Comparison run;
    private final List<Target> targets = new ArrayList<>();

    private Targets(Comparison run) {
        this.run = run;
    }

    /** All of them, in one run. */
    public static List<Target> of(Summary summary, List<Observed> observations) {
        Targets targets = new Targets(new Comparison(summary));
        targets.uncontended();
        targets.crowd(REDIS, "Redis");
        targets.crowd(POSTGRESQL, "PostgreSQL");
        targets.processes(REDIS, "Redis");
        targets.processes(POSTGRESQL, "PostgreSQL");
        targets.targets.addAll(Promises.of(observations));
        return List.copyOf(targets.targets);
    }

    private void uncontended() {
        targets.add(run.ratio(
                "Redis, uncontended pair, beside bare Jedis", 1.1, "pair", Figure.P50, REDIS, List.of(BARE_REDIS)));
        targets.add(run.ratio(
                "Redis, 8 threads on 8 locks, beside bare Jedis",
                2,
                "threads-8",
                Figure.THROUGHPUT,
                REDIS,
                List.of(BARE_REDIS)));
        targets.add(run.ratio(
                "PostgreSQL, uncontended pair, beside Spring's JdbcLockRegistry",
                0.6,
                "pair",
                Figure.P50,
                POSTGRESQL,
                List.of(SPRING_JDBC)));
        targets.add(run.ratio(
                "PostgreSQL, 64 threads on 64 locks, beside Spring's JdbcLockRegistry",
                5,
                "threads-64",
                Figure.THROUGHPUT,
                POSTGRESQL,
                List.of(SPRING_JDBC)));
    }

    private void crowd(String ours, String store) {
        targets.add(run.ratio(
                store + ", 1,000 threads on one lock, beside the fastest peer", 0.2, CROWD, Figure.TOTAL, ours, PEERS));
        targets.add(run.most(
                store + ", 100 threads that came one after another, overtaken in any round",
                0,
                "order",
                Figure.OVERTAKEN,
                ours));
    }

    private void processes(String ours, String store) {
        targets.add(run.ratio(
                store + ", 4 × 250 on one lock, beside the fastest peer",
                1.0 / 3,
                PROCESSES,
                Figure.TOTAL,
                ours,
                PEERS));
        targets.add(run.ratio(
                store + ", 4 × 250 with lock.handoff=1, beside the fastest peer",
                1,
                PROCESSES,
                Figure.TOTAL,
                ours + STRICT,
                PEERS));
        targets.add(run.within(
                store + ", 4 × 250, longest wait beside the total",
                1.2,
                PROCESSES,
                ours,
                Figure.LONGEST_WAIT,
                Figure.TOTAL));
        if (ours.equals(POSTGRESQL)) {
            targets.add(run.ratio(
                    store + ", 4 × 250, beside FOR UPDATE and advisory locks",
                    1,
                    PROCESSES,
                    Figure.TOTAL,
                    ours,
                    List.of(FOR_UPDATE, ADVISORY)));
        }
    }
}
