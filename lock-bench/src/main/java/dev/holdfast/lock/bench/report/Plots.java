package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measure.Figure;
import dev.holdfast.lock.bench.measure.Scenario;
import dev.holdfast.lock.bench.peer.Candidate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A plot of each scenario, of its most telling figure. */
final class Plots {

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
    }
}
