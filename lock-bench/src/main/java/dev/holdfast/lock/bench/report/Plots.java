package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measure.Figure;
import dev.holdfast.lock.bench.measure.Scenario;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A plot of each scenario, of its most telling figure; and of each store, from few threads to many. */
final class Plots {

    private static final String THREADS = "threads-";

    private static final Map<Store, String> TITLES = Map.of(Store.REDIS, "Redis", Store.POSTGRESQL, "PostgreSQL");

    /** More lines would be no plot. */
    private static final Set<String> IN_CURVES = Set.of(
            "holdfast-redis",
            "jedis-setnx",
            "redisson",
            "spring-redis",
            "holdfast-postgresql",
            "spring-jdbc",
            "for-update",
            "advisory-lock");

    private Plots() {}

    static void write(Summary summary, List<Candidate> candidates, Path directory) throws IOException {
        for (Scenario scenario : summary.scenarios()) {
            Figure figure = scenario.figures().get(0);
            List<Plot.Bar> bars = new ArrayList<>();
            for (Candidate candidate : summary.candidates(scenario, candidates)) {
                bars.add(new Plot.Bar(
                        candidate.title(),
                        candidate.ours(),
                        summary.figure(scenario.id(), candidate.id(), figure),
                        summary.missing(scenario.id(), candidate.id())
                                .flatMap(why -> why.lines().findFirst())
                                .orElse("")));
            }
            Files.writeString(
                    directory.resolve(scenario.id() + ".svg"), new Plot(scenario.title(), figure, bars).svg());
        }
        for (Store store : Store.values()) {
            List<Curves.Curve> curves = candidates.stream()
                    .filter(candidate -> candidate.store() == store && IN_CURVES.contains(candidate.id()))
                    .flatMap(candidate -> curve(summary, candidate).stream())
                    .toList();
            if (!curves.isEmpty()) {
                Files.writeString(
                        directory.resolve(THREADS + store.name().toLowerCase(Locale.ROOT) + ".svg"),
                        new Curves(TITLES.get(store) + ": threads with a lock of their own", curves).svg());
            }
        }
    }

    private static Optional<Curves.Curve> curve(Summary summary, Candidate candidate) {
        List<Curves.Point> points = new ArrayList<>();
        for (Scenario scenario : summary.scenarios()) {
            if (scenario.id().startsWith(THREADS)) {
                int threads = Integer.parseInt(scenario.id().substring(THREADS.length()));
                summary.figure(scenario.id(), candidate.id(), Figure.THROUGHPUT)
                        .ifPresent(over -> points.add(new Curves.Point(threads, over.value())));
            }
        }
        return points.size() < 2
                ? Optional.empty()
                : Optional.of(new Curves.Curve(candidate.title(), candidate.ours(), points));
    }
}
