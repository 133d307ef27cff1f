package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.alone.Observed;
import dev.holdfast.lock.bench.peer.Candidate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** All that is said of a run. */
public final class Report {

    private static final String RESULTS = "results.json";

    private final Environment environment;
    private final List<Candidate> candidates;
    private final Summary summary;
    private final List<Observed> observations;

    /** @param candidates in the order of the tables */
    public Report(Environment environment, List<Candidate> candidates, Summary summary, List<Observed> observations) {
        this.environment = environment;
        this.candidates = candidates;
        this.summary = summary;
        this.observations = List.copyOf(observations);
    }

    /** For people, in Markdown. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        environment.facts().forEach(fact -> lines.add("- " + fact));
        lines.add("");
        lines.addAll(new Table(summary, candidates).lines());
        lines.addAll(ObservationTable.lines(observations));
        lines.addAll(TargetTable.lines(Targets.of(summary, observations)));
        return lines;
    }

    /** For programs and, as plots, for people, into this directory. */
    public void write(Path directory) throws IOException {
        Files.writeString(
                directory.resolve(RESULTS),
                Results.of(environment, candidates, summary, observations).json());
        Plots.write(summary, candidates, directory);
    }
}
