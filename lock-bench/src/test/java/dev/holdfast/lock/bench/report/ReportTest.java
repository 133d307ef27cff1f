package dev.holdfast.lock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.measurement.Result;
import dev.holdfast.lock.bench.measurement.Result.Status;
import dev.holdfast.lock.bench.solo.SoloResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ReportTest {

    private static final List<SoloResult> SOLO_RESULTS = List.of(
            new SoloResult("growth", "growth", Result.of(List.of(new Quantity("8 threads", 51_234.5, "pairs/s")))),
            new SoloResult("death", "of a holder", Result.missing(Status.SKIPPED, "no process dies here")));

    private static final String FIGURES = "jdk-" + Runtime.version().feature() + ".json";

    @TempDir
    private Path directory;

    private final RunBuilder run = new RunBuilder();
    private Report report;

    @BeforeEach
    void measure() {
        run.measured(1, "pair", "holdfast-redis", pair(40, 90), 40_000L, 50_000L)
                .measured(2, "pair", "holdfast-redis", pair(60, 70), 60_000L, 70_000L)
                .measured(1, "pair", "slow", pair(4_000, 9_000), 4_000_000L)
                .timedOut(2, "pair", "slow")
                .timedOut(1, "pair", "stuck|");
        report = new Report(
                new RunEnvironment("now", List.of("a machine"), Map.of("jedis", "8"), 2, 42),
                run.candidates(),
                run.summary(),
                SOLO_RESULTS);
    }

    @Test
    void lines_whenRoundsDiffer_haveMediansSpreadAndPercentilesOfAllSamples() {
        assertThat(report.lines().stream().map(line -> line.replaceAll(" +", " ")))
                .containsSubsequence(
                        "- a machine",
                        "### acquire + release, uncontended",
                        "| The <holdfast-redis> | 50.0 | 40.0 to 60.0 | 70.0 | – | – |",
                        "| The <slow> | 4,000 | 4,000 to 4,000; did not finish within 30 s | 4,000 | – | – |",
                        "| The <stuck\\|> | – | did not finish within 30 s | – | – | – |");
    }

    @Test
    void targets_whenMetOrMissedOrNotMeasured_areReportedAsSuch() {
        run.measured(1, "pair", "jedis-setnx", pair(40, 90), 40_000L)
                .measured(1, "threads-8", "holdfast-redis", Map.of(Metric.THROUGHPUT, 50_000.0))
                .measured(1, "threads-8", "jedis-setnx", Map.of(Metric.THROUGHPUT, 20_000.0));

        assertThat(report.lines().stream().map(line -> line.replaceAll(" +", " ")))
                .containsSubsequence(
                        "| Redis, uncontended pair, to bare Jedis | ≤ 1.10 | 1.25 | missed | holdfast-redis 50.0 µs, jedis-setnx 40.0 µs |",
                        "| Redis, 8 threads on 8 locks, to bare Jedis | ≥ 0.90 | 2.50 | met | holdfast-redis 50,000 /s, jedis-setnx 20,000 /s |",
                        "33 of 35 need more than was measured in this run.");
    }

    @Test
    void write_whenRunHasSeveralRounds_writesEachTurnIntoTheFileOfTheJdk() throws Exception {
        report.write(directory);

        JsonObject results = JsonParser.parseString(Files.readString(directory.resolve(FIGURES)))
                .getAsJsonObject();
        assertThat(results.keySet())
                .containsExactly(
                        "environment", "candidates", "scenarios", "turns", "figures", "observations", "targets");
        JsonArray turns = results.getAsJsonArray("turns");
        assertThat(turns).hasSize(5);
        assertThat(turns.get(1)).isEqualTo(JsonParser.parseString("""
                        {"round": 2, "scenario": "pair", "candidate": "holdfast-redis",
                         "figures": {"p50Micros": 60.0, "p99Micros": 70.0}}"""));
        assertThat(turns.get(3).getAsJsonObject().get("missing").getAsString()).isEqualTo("did not finish within 30 s");
        assertThat(results.getAsJsonArray("targets")).hasSameSizeAs(Targets.of(run.summary(), SOLO_RESULTS));
    }

    @Test
    void soloResults_whenMeasuredOrSkipped_areReportedWithTheReason() throws Exception {
        assertThat(report.lines().stream().map(line -> line.replaceAll(" +", " ")))
                .containsSubsequence(
                        "### Holdfast alone: growth",
                        "| 8 threads | 51,235 | pairs/s |",
                        "### Holdfast alone: of a holder",
                        "Not measured: no process dies here");

        report.write(directory);

        JsonArray observations = JsonParser.parseString(Files.readString(directory.resolve(FIGURES)))
                .getAsJsonObject()
                .getAsJsonArray("observations");
        assertThat(observations).isEqualTo(JsonParser.parseString("""
                [{"id": "growth", "title": "growth",
                  "quantities": [{"what": "8 threads", "value": 51234.5, "unit": "pairs/s"}]},
                 {"id": "death", "title": "of a holder", "quantities": [], "missing": "no process dies here"}]"""));
    }

    @Test
    void barChart_whenCandidateWasNotMeasured_showsTheReasonInsteadOfABar() throws Exception {
        report.write(directory);

        Document plot = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(directory.resolve("pair.svg").toFile());
        NodeList bars = plot.getElementsByTagName("rect");
        assertThat(bars.getLength()).isEqualTo(2);
        assertThat(((Element) bars.item(0)).getAttribute("class")).isEqualTo("ours");
        double ours = Double.parseDouble(((Element) bars.item(0)).getAttribute("width"));
        double slow = Double.parseDouble(((Element) bars.item(1)).getAttribute("width"));
        assertThat(slow / ours)
                .as("of 80 times as much, on a logarithmic scale")
                .isBetween(2.0, 10.0);
        assertThat(plot.getDocumentElement().getTextContent())
                .contains(
                        "The <stuck|>",
                        "did not finish within 30 s",
                        "logarithmic scale",
                        "prefers-color-scheme: dark");
    }

    private static Map<Metric, Double> pair(double median, double rare) {
        return Map.of(Metric.P50, median, Metric.P99, rare);
    }
}
