package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measure.Figure;
import dev.holdfast.lock.bench.measure.Scenario;
import dev.holdfast.lock.bench.peer.Candidate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A table of each scenario, in Markdown. */
public final class Table {

    private final Summary summary;
    private final List<Candidate> candidates;

    /** @param candidates in the order of their rows */
    public Table(Summary summary, List<Candidate> candidates) {
        this.summary = summary;
        this.candidates = candidates;
    }

    /** All of them. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Scenario scenario : summary.scenarios()) {
            lines.add("### " + scenario.title());
            lines.add("");
            List<List<String>> rows = new ArrayList<>();
            rows.add(header(scenario));
            for (Candidate candidate : summary.candidates(scenario, candidates)) {
                rows.add(row(scenario, candidate));
            }
            lines.addAll(Markdown.table(rows));
            lines.add("");
        }
        return lines;
    }

    private static List<String> header(Scenario scenario) {
        List<String> cells = new ArrayList<>(List.of(""));
        for (Figure figure : scenario.figures()) {
            cells.add(figure.title() + (figure.unit().isEmpty() ? "" : ", " + figure.unit()));
            if (figure == scenario.figures().get(0)) {
                cells.add("least to most of a round");
            }
        }
        return cells;
    }

    private List<String> row(Scenario scenario, Candidate candidate) {
        List<String> cells = new ArrayList<>(List.of(candidate.title()));
        Optional<String> missing = summary.missing(scenario.id(), candidate.id())
                .flatMap(why -> why.lines().findFirst());
        for (Figure figure : scenario.figures()) {
            Optional<Summary.Over> over = summary.figure(scenario.id(), candidate.id(), figure);
            cells.add(over.map(value -> figure.text(value.value())).orElse("–"));
            if (figure == scenario.figures().get(0)) {
                String spread = over.map(value -> figure.text(value.least()) + " to " + figure.text(value.most()))
                        .orElse("");
                cells.add(missing.map(why -> spread.isEmpty() ? why : spread + "; " + why)
                        .orElse(spread));
            }
        }
        return cells;
    }
}
