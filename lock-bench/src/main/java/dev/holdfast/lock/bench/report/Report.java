package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.report.Summary.Aggregate;
import dev.holdfast.lock.bench.scenario.Scenario;
import dev.holdfast.lock.bench.solo.SoloResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The report of a run.
 *
 * @param candidates in the order of the tables
 */
public record Report(
        RunEnvironment environment, List<Candidate> candidates, Summary summary, List<SoloResult> soloResults) {

    /** The report in Markdown, for people. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        environment.facts().forEach(fact -> lines.add("- " + fact));
        lines.add("");
        summary.scenarios().forEach(scenario -> {
            lines.addAll(List.of("### " + scenario.title(), ""));
            lines.addAll(table(scenario).lines());
            lines.add("");
        });
        soloResults.forEach(solo -> {
            lines.addAll(List.of("### Holdfast alone: " + solo.title(), ""));
            lines.addAll(table(solo));
            lines.add("");
        });
        lines.addAll(List.of("### Targets", ""));
        lines.addAll(table(targets()));
        return lines;
    }

    List<Target> targets() {
        return Targets.of(summary, soloResults);
    }

    /** Writes a JSON file, for programs, named by the JDK of this process, and the charts to this directory. */
    public void write(Path directory) throws IOException {
        String file = "jdk-" + Runtime.version().feature() + ".json";
        Files.writeString(directory.resolve(file), ResultsJson.of(this));
        Charts.write(summary, candidates, directory);
    }

    private MarkdownTable table(Scenario scenario) {
        List<String> header = new ArrayList<>(List.of(""));
        scenario.metrics().forEach(metric -> header.add(metric.heading()));
        header.add(2, "lowest to highest round");
        MarkdownTable table = new MarkdownTable(header);
        for (Candidate candidate : summary.candidates(scenario, candidates)) {
            List<String> row = new ArrayList<>(List.of(candidate.title()));
            for (Metric metric : scenario.metrics()) {
                row.add(summary.aggregate(scenario.id(), candidate.id(), metric)
                        .map(aggregate -> metric.format(aggregate.value()))
                        .orElse("–"));
            }
            row.add(2, spread(scenario, candidate, scenario.metrics().get(0)));
            table.add(row);
        }
        return table;
    }

    private String spread(Scenario scenario, Candidate candidate, Metric metric) {
        List<String> parts = new ArrayList<>();
        Optional<Aggregate> aggregate = summary.aggregate(scenario.id(), candidate.id(), metric);
        aggregate.ifPresent(of -> parts.add(metric.format(of.min()) + " to " + metric.format(of.max())));
        summary.missing(scenario.id(), candidate.id()).ifPresent(parts::add);
        return String.join("; ", parts);
    }

    private static List<String> table(SoloResult solo) {
        MarkdownTable table = new MarkdownTable(List.of("", "measured", "unit"));
        for (Quantity quantity : solo.quantities()) {
            table.add(List.of(quantity.what(), quantity.text(), quantity.unit()));
        }
        return solo.result()
                .missing()
                .flatMap(reason -> reason.lines().findFirst())
                .map(reason -> List.of("Not measured: " + reason))
                .orElseGet(table::lines);
    }

    private static List<String> table(List<Target> targets) {
        MarkdownTable table = new MarkdownTable(List.of("target", "limit", "measured", "", "of"));
        int missing = 0;
        for (Target target : targets) {
            @Nullable Double value = target.value();
            @Nullable Boolean met = target.met();
            if (value == null || met == null) {
                missing++;
            } else {
                String limit = (target.isAtMost() ? "≤ " : "≥ ") + number(target.limit());
                table.add(List.of(target.what(), limit, number(value), met ? "met" : "missed", target.basis()));
            }
        }
        List<String> lines = new ArrayList<>(table.hasRows() ? table.lines() : List.of());
        if (missing > 0) {
            lines.addAll(List.of("", missing + " of " + targets.size() + " need more than was measured in this run."));
        }
        return lines;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.2f", value);
    }
}
