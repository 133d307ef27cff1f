package dev.holdfast.lock.bench.report;

import static dev.holdfast.lock.bench.measurement.Metric.LONGEST_WAIT;
import static dev.holdfast.lock.bench.measurement.Metric.OVERTAKEN;
import static dev.holdfast.lock.bench.measurement.Metric.P50;
import static dev.holdfast.lock.bench.measurement.Metric.THROUGHPUT;
import static dev.holdfast.lock.bench.measurement.Metric.TOTAL;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.scenario.Scenarios;
import dev.holdfast.lock.bench.server.BenchServers;
import dev.holdfast.lock.bench.solo.HeldLeases;
import dev.holdfast.lock.bench.solo.RedisTraffic;
import dev.holdfast.lock.bench.solo.SoloResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The targets of Holdfast. Most are ratios of one run: the same machine, the same minutes, the same servers. */
final class Targets {

    private static final String REDIS = "holdfast-redis";
    private static final String ASYNC = "holdfast-redis-async";
    private static final String POSTGRESQL = "holdfast-postgresql";
    private static final String COMPOSITE = "holdfast-composite";
    private static final String MARIADB = "holdfast-mariadb";
    private static final List<String> PLAIN_REDIS = List.of(REDIS);
    private static final List<String> JDK = List.of("jdk-fair-lock");
    private static final List<String> SPRING_MARIADB = List.of("spring-jdbc-mariadb");
    private static final List<String> BARE_JEDIS = List.of("jedis-setnx");
    private static final List<String> SPRING_JDBC = List.of("spring-jdbc");
    private static final List<String> DATABASE_LOCKS = List.of("for-update", "advisory-lock");
    private static final List<String> REDIS_LIBRARIES = List.of("spring-redis", "shedlock-redis");
    /** The peers that wait, on either store. */
    private static final List<String> WAITING_PEERS =
            List.of("redisson", "spring-redis", "spring-jdbc", "for-update", "advisory-lock");

    private static final String CROWD = "crowd";
    private static final String PROCESSES = "processes";
    private static final int LEASES = 100_000;

    private final Summary summary;
    private final List<SoloResult> soloResults;

    private Targets(Summary summary, List<SoloResult> soloResults) {
        this.summary = summary;
        this.soloResults = soloResults;
    }

    /** All targets, with their measured values. */
    static List<Target> of(Summary summary, List<SoloResult> soloResults) {
        return new Targets(summary, soloResults).all();
    }

    private List<Target> all() {
        String renewal = "Redis, 100,000 held leases, renewal, of one core in %";
        String threads = "Redis, 100,000 held leases, threads more than with one";
        String closed = "Redis, 100,000 held leases, not released by Locks.close()";
        String commands = "client commands to Redis per acquire and release, at any contention";
        String pair = "PostgreSQL, uncontended pair, to Spring's JdbcLockRegistry";
        String ownLocks = "PostgreSQL, 64 threads on 64 locks, to Spring's JdbcLockRegistry";
        String compositePair = "composite, uncontended pair, to plain Redis";
        String coldProcesses = "Redis, 4 × 250 on one lock in cold processes, to the fastest peer";
        String mariaDbPair = "MariaDB, uncontended pair, to Spring's JdbcLockRegistry";
        String mariaDbOwnLocks = "MariaDB, 64 threads on 64 locks, to Spring's JdbcLockRegistry";
        String mariaDbProcesses = "MariaDB, 4 × 250 on one lock, to Spring's JdbcLockRegistry";
        List<Target> all = new ArrayList<>();
        all.add(ratio("Redis, uncontended pair, to bare Jedis", 1.1, "pair", P50, REDIS, BARE_JEDIS));
        String distantPair = "Redis " + BenchServers.ROUND_TRIP_TEXT + " away, pair with releaseAsync, to bare Jedis";
        all.add(ratio(distantPair, 0.6, "distant-pair", P50, ASYNC, BARE_JEDIS));
        for (int count : Scenarios.THREADS_WITH_TARGETS) {
            String locks = count + " threads on " + count + " locks, to ";
            String scenario = "threads-" + count;
            double ofBare = count < 32 ? 0.9 : count < 64 ? 1 : 1.1; // the more threads, the larger the batches
            all.add(ratio("Redis, " + locks + "bare Jedis", ofBare, scenario, THROUGHPUT, REDIS, BARE_JEDIS));
            all.add(ratio("Redis, " + locks + "Spring and ShedLock", 1, scenario, THROUGHPUT, REDIS, REDIS_LIBRARIES));
            all.add(ratio("composite, " + locks + "plain Redis", 0.9, scenario, THROUGHPUT, COMPOSITE, PLAIN_REDIS));
        }
        all.addAll(List.of(
                ratio(pair, 0.5, "pair", P50, POSTGRESQL, SPRING_JDBC),
                ratio(ownLocks, 6, "threads-64", THROUGHPUT, POSTGRESQL, SPRING_JDBC),
                ratio(compositePair, 1.1, "pair", P50, COMPOSITE, PLAIN_REDIS),
                ratio("Redis, 1,000 threads on one lock, to a fair lock of the JDK", 1.5, CROWD, TOTAL, REDIS, JDK),
                order("Redis", REDIS),
                order("PostgreSQL", POSTGRESQL),
                processes("Redis", REDIS, 0.4),
                ratio(coldProcesses, 0.8, "cold-processes", TOTAL, REDIS, WAITING_PEERS),
                strict("Redis", REDIS, List.of("redisson-fair")),
                longestWait("Redis", REDIS),
                processes("PostgreSQL", POSTGRESQL, 0.6),
                strict("PostgreSQL", POSTGRESQL, DATABASE_LOCKS),
                longestWait("PostgreSQL", POSTGRESQL),
                ratio(mariaDbPair, 0.8, "pair", P50, MARIADB, SPRING_MARIADB),
                ratio(mariaDbOwnLocks, 3, "threads-64", THROUGHPUT, MARIADB, SPRING_MARIADB),
                ratio(mariaDbProcesses, 1, PROCESSES, TOTAL, MARIADB, SPRING_MARIADB),
                longestWait("MariaDB", MARIADB),
                heldLeases(renewal, 3, HeldLeases.PROCESSOR),
                heldLeases(threads, 0, HeldLeases.THREADS),
                heldLeases(closed, 0, HeldLeases.NOT_RELEASED),
                greatest(commands, 3, RedisTraffic.ID, RedisTraffic.COMMANDS)));
        return List.copyOf(all);
    }

    private Target processes(String store, String holdfast, double limit) {
        String what = store + ", 4 × 250 on one lock, to the fastest peer";
        return ratio(what, limit, PROCESSES, TOTAL, holdfast, WAITING_PEERS);
    }

    private Target strict(String store, String holdfast, List<String> fairPeers) {
        String what = store + ", 4 × 250 with lock.max-local-handoffs=1, to the fastest fair peer";
        return ratio(what, 1, PROCESSES, TOTAL, holdfast + "-strict", fairPeers);
    }

    /** The worst round counts. */
    private Target order(String store, String holdfast) {
        String what = store + ", 100 threads that arrive one after another, overtaken in any round";
        return summary.aggregate("order", holdfast, OVERTAKEN)
                .map(overtaken -> new Target(
                        what, true, 0, overtaken.max(), holdfast + " " + OVERTAKEN.formatWithUnit(overtaken.max())))
                .orElseGet(() -> missing(what, true, 0, "order", List.of(holdfast)));
    }

    private Target longestWait(String store, String holdfast) {
        String what = store + ", 4 × 250, longest wait to the total";
        Optional<Figure> wait = figure(PROCESSES, LONGEST_WAIT, holdfast);
        Optional<Figure> total = figure(PROCESSES, TOTAL, holdfast);
        if (wait.isEmpty() || total.isEmpty()) {
            return missing(what, true, 1.2, PROCESSES, List.of(holdfast));
        }
        return ratio(what, true, 1.2, wait.get(), total.get());
    }

    /** The value of a candidate. */
    private record Figure(String candidate, Metric metric, double value) {
        @Override
        public String toString() {
            return candidate + " " + metric.formatWithUnit(value);
        }
    }

    private Optional<Figure> figure(String scenario, Metric metric, String candidate) {
        return summary.aggregate(scenario, candidate, metric)
                .map(aggregate -> new Figure(candidate, metric, aggregate.value()));
    }

    /** Holdfast's figure divided by that of the best peer. */
    private Target ratio(
            String what, double limit, String scenario, Metric metric, String holdfast, List<String> peers) {
        boolean isAtMost = !metric.isBetterWhenMore;
        Comparator<Figure> byValue = Comparator.comparing(Figure::value);
        Optional<Figure> own = figure(scenario, metric, holdfast);
        Optional<Figure> best = peers.stream()
                .flatMap(peer -> figure(scenario, metric, peer).stream())
                .min(isAtMost ? byValue : byValue.reversed());
        if (own.isEmpty() || best.isEmpty()) {
            return missing(what, isAtMost, limit, scenario, own.isEmpty() ? List.of(holdfast) : peers);
        }
        return ratio(what, isAtMost, limit, own.get(), best.get());
    }

    private static Target ratio(String what, boolean isAtMost, double limit, Figure part, Figure whole) {
        return new Target(what, isAtMost, limit, part.value() / whole.value(), part + ", " + whole);
    }

    private static Target missing(
            String what, boolean isAtMost, double limit, String scenario, List<String> candidates) {
        String basis = "no figure of " + String.join(", ", candidates) + " in " + scenario;
        return new Target(what, isAtMost, limit, null, basis);
    }

    /** A target of the held leases; without a value if fewer were held: in a quick run, or because some were lost. */
    private Target heldLeases(String what, double limit, String quantity) {
        double held =
                greatest(HeldLeases.ID, HeldLeases.HELD).map(Quantity::value).orElse(0.0);
        String basis = String.format(Locale.ROOT, "%.0f leases were held at the end", held);
        return held < LEASES
                ? new Target(what, true, limit, null, basis)
                : greatest(what, limit, HeldLeases.ID, quantity);
    }

    /** The greatest of the quantities whose names have this prefix. */
    private Target greatest(String what, double limit, String scenario, String prefix) {
        return greatest(scenario, prefix)
                .map(most -> new Target(
                        what, true, limit, most.value(), most.what() + " " + most.text() + " " + most.unit()))
                .orElseGet(() -> new Target(what, true, limit, null, "no quantity of " + scenario));
    }

    private Optional<Quantity> greatest(String scenario, String prefix) {
        return soloResults.stream()
                .filter(solo -> solo.id().equals(scenario))
                .flatMap(solo -> solo.quantities().stream())
                .filter(quantity -> quantity.what().startsWith(prefix))
                .max(Comparator.comparing(Quantity::value));
    }
}
