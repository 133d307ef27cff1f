package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.report.LineChart.Curve;
import dev.holdfast.lock.bench.report.LineChart.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The files of the charts: bars of each scenario's first metric, and for each store the throughput by threads. */
final class Charts {

    private static final String THREADS = "threads-";
    private static final Map<Store, String> TITLES = Map.of(
            Store.PROCESS,
            "one process",
            Store.REDIS,
            "Redis",
            Store.POSTGRESQL,
            "PostgreSQL",
            Store.MARIADB,
            "MariaDB");

    /** More curves would be unreadable. */
    private static final Set<String> WITH_CURVE = Set.of(
            "holdfast-redis",
            "jedis-setnx",
            "redisson",
            "spring-redis",
            "holdfast-postgresql",
            "spring-jdbc",
            "for-update",
            "advisory-lock",
            "holdfast-mariadb",
            "spring-jdbc-mariadb",
            "for-update-mariadb",
            "get-lock-mariadb");

    private Charts() {}

    static void write(Summary summary, List<Candidate> candidates, Path directory) throws IOException {
        for (var scenario : summary.scenarios()) {
            Metric metric = scenario.metrics().get(0);
            List<BarChart.Bar> bars = summary.candidates(scenario, candidates).stream()
                    .map(candidate -> new BarChart.Bar(
                            candidate.title(),
                            candidate.isHoldfast(),
                            summary.aggregate(scenario.id(), candidate.id(), metric),
                            summary.missing(scenario.id(), candidate.id()).orElse("")))
                    .toList();
            Files.writeString(
                    directory.resolve(scenario.id() + ".svg"), new BarChart(scenario.title(), metric, bars).svg());
        }
        for (Store store : Store.values()) {
            List<Curve> curves = candidates.stream()
                    .filter(candidate -> candidate.store() == store && WITH_CURVE.contains(candidate.id()))
                    .flatMap(candidate -> curve(summary, candidate).stream())
                    .toList();
            if (!curves.isEmpty()) {
                Files.writeString(
                        directory.resolve(THREADS + store.name().toLowerCase(Locale.ROOT) + ".svg"),
                        new LineChart(TITLES.get(store) + ": threads with a lock of their own", curves).svg());
            }
        }
    }

    private static Optional<Curve> curve(Summary summary, Candidate candidate) {
        List<Point> points = new ArrayList<>();
        for (var scenario : summary.scenarios()) {
            if (scenario.id().startsWith(THREADS)) {
                summary.aggregate(scenario.id(), candidate.id(), Metric.THROUGHPUT)
                        .ifPresent(aggregate -> points.add(new Point(scenario.threads(), aggregate.value())));
            }
        }
        return points.size() < 2
                ? Optional.empty()
                : Optional.of(new Curve(candidate.title(), candidate.isHoldfast(), points));
    }
}
