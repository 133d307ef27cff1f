package dev.holdfast.lock.bench.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.scenario.Comparison.Turn;
import dev.holdfast.lock.bench.scenario.Scenario;
import dev.holdfast.lock.bench.solo.SoloResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A report as JSON. Absent values, such as the reason why something is missing, have no key. */
final class ResultsJson {

    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private ResultsJson() {}

    static String of(Report report) {
        Summary summary = report.summary();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("environment", report.environment());
        json.put("candidates", report.candidates().stream().map(ResultsJson::of).toList());
        json.put(
                "scenarios",
                summary.scenarios().stream()
                        .map(scenario -> object("id", scenario.id(), "title", scenario.title()))
                        .toList());
        json.put("turns", summary.turns().stream().map(ResultsJson::of).toList());
        json.put("figures", aggregates(report));
        json.put(
                "observations",
                report.soloResults().stream().map(ResultsJson::of).toList());
        json.put("targets", report.targets().stream().map(ResultsJson::of).toList());
        return GSON.toJson(json) + "\n";
    }

    private static Map<String, @Nullable Object> of(Candidate candidate) {
        return object(
                "id", candidate.id(),
                "title", candidate.title(),
                "store", candidate.store(),
                "waits", candidate.waits(),
                "configuration", candidate.configuration());
    }

    private static Map<String, @Nullable Object> of(Turn turn) {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (Metric metric : turn.scenario().metrics()) {
            turn.result()
                    .measured()
                    .flatMap(sample -> sample.value(metric))
                    .ifPresent(value -> figures.put(metric.id, value));
        }
        return object(
                "round", turn.round(),
                "scenario", turn.scenario().id(),
                "candidate", turn.candidate().id(),
                "figures", figures,
                "missing", turn.result().missing().orElse(null));
    }

    private static List<Map<String, @Nullable Object>> aggregates(Report report) {
        List<Map<String, @Nullable Object>> all = new ArrayList<>();
        Summary summary = report.summary();
        for (Scenario scenario : summary.scenarios()) {
            for (Candidate candidate : summary.candidates(scenario, report.candidates())) {
                for (Metric metric : scenario.metrics()) {
                    summary.aggregate(scenario.id(), candidate.id(), metric)
                            .ifPresent(aggregate -> all.add(object(
                                    "scenario", scenario.id(),
                                    "candidate", candidate.id(),
                                    "figure", metric.id,
                                    "value", aggregate.value(),
                                    "least", aggregate.min(),
                                    "most", aggregate.max())));
                }
            }
        }
        return all;
    }

    private static Map<String, @Nullable Object> of(SoloResult solo) {
        return object(
                "id", solo.id(),
                "title", solo.title(),
                "quantities", solo.quantities(),
                "missing", solo.result().missing().orElse(null));
    }

    private static Map<String, @Nullable Object> of(Target target) {
        return object(
                "what", target.what(),
                "isAtMost", target.isAtMost(),
                "limit", target.limit(),
                "value", target.value(),
                "met", target.met(),
                "basis", target.basis());
    }

    private static Map<String, @Nullable Object> object(@Nullable Object... keysAndValues) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            object.put(String.valueOf(keysAndValues[i]), keysAndValues[i + 1]);
        }
        return object;
    }
}
