package dev.holdfast.lock.bench;

import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.scenario.Scenario;
import dev.holdfast.lock.bench.scenario.Scenarios;
import dev.holdfast.lock.bench.scenario.Workload;
import dev.holdfast.lock.bench.solo.SoloScenario;
import dev.holdfast.lock.spi.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the command line. */
final class BenchArguments {

    private static final String DIRECTORY_PROPERTY = "holdfast.bench.out";
    private static final int MAX_ROUNDS = 1_000;

    @Option(
            names = "--quick",
            description = "a first look: two short rounds, some minutes instead of half an hour or more")
    private boolean isQuick;

    @Option(names = "--mariadb", description = "MariaDB, too: downloads its server, of 350 MB, when first asked for")
    private boolean isMariaDbWanted;

    @Option(names = "--rounds", paramLabel = "N", description = "the number of rounds")
    private @Nullable Integer rounds;

    @Option(
            names = "--only",
            paramLabel = "ID",
            split = ",",
            description = "these candidates: an id, or the beginning of several")
    private List<String> only = List.of();

    @Option(
            names = "--scenario",
            paramLabel = "ID",
            split = ",",
            description = "these scenarios: an id, or the beginning of several")
    private List<String> scenarioIds = List.of();

    @Option(names = "--soak", paramLabel = "TIME", description = "how long the soak takes, such as 1h; 1m unless given")
    private String soak = "1m";

    @Option(names = "--seed", paramLabel = "N", description = "the order of turns of an earlier run")
    private long seed = new Random().nextInt(Integer.MAX_VALUE);

    @Option(names = "--out", paramLabel = "DIR", description = "the directory of the results")
    private Path directory = Path.of(System.getProperty(DIRECTORY_PROPERTY, "target/bench"));

    /**
     * The selected measurements.
     *
     * @param soloScenarios none unless Holdfast is among the candidates
     */
    record Selection(
            Workload workload, List<Scenario> scenarios, List<Candidate> candidates, List<SoloScenario> soloScenarios) {

        boolean needsMariaDb() {
            return candidates.stream().anyMatch(candidate -> candidate.store() == Store.MARIADB);
        }
    }

    /** The duration of the soak. */
    Duration soak() {
        return DurationText.parse(soak);
    }

    /** The seed of the order of turns. */
    long seed() {
        return seed;
    }

    /** The directory of the results. */
    Path directory() {
        return directory;
    }

    /**
     * The selection that these options make.
     *
     * @param all candidates
     * @param jar of the command line, which is measured, too
     * @throws IllegalArgumentException if an option has a value that is not allowed; the message names the allowed ones
     */
    Selection select(List<Candidate> all, Path jar) {
        if (rounds != null && (rounds < 1 || rounds > MAX_ROUNDS)) {
            throw new IllegalArgumentException("--rounds " + rounds + ": 1 to " + MAX_ROUNDS + " is allowed");
        }
        Workload preset = isQuick ? Workload.QUICK : Workload.FULL;
        Workload workload = rounds == null ? preset : preset.withRounds(rounds);
        List<Scenario> scenarios = Scenarios.all(workload);
        List<SoloScenario> soloScenarios = isQuick ? SoloScenario.quick(jar) : SoloScenario.full(jar, soak());

        List<Candidate> allowed = all.stream()
                .filter(candidate -> isMariaDbWanted || candidate.store() != Store.MARIADB)
                .toList();
        List<Candidate> chosen = chosen(
                allowed, Candidate::id, matching("candidate", allowed.stream().map(Candidate::id), only));
        Stream<String> ids = Stream.concat(
                scenarios.stream().map(Scenario::id), soloScenarios.stream().map(SoloScenario::id));
        Set<String> chosenIds = matching("scenario", ids, scenarioIds);
        List<Scenario> compared = chosen(scenarios, Scenario::id, chosenIds);
        List<SoloScenario> solo = chosen.stream().anyMatch(Candidate::isHoldfast)
                ? chosen(soloScenarios, SoloScenario::id, chosenIds)
                : List.of();
        if (compared.isEmpty() && solo.isEmpty()) {
            throw new IllegalArgumentException(
                    "only Holdfast goes through " + String.join(", ", scenarioIds) + ", but --only leaves it out");
        }
        return new Selection(workload, compared, chosen, solo);
    }

    /** For each word the id itself if it is one, otherwise the ids that begin with it; all ids if there are no words. */
    private static Set<String> matching(String kind, Stream<String> all, List<String> words) {
        List<String> ids = all.toList();
        Set<String> matching = new HashSet<>();
        for (String word : words.isEmpty() ? List.of("") : words) {
            List<String> some = ids.contains(word)
                    ? List.of(word)
                    : ids.stream().filter(id -> id.startsWith(word)).toList();
            if (some.isEmpty()) {
                throw new IllegalArgumentException(
                        "unknown " + kind + ": " + word + "; there are " + String.join(", ", ids));
            }
            matching.addAll(some);
        }
        return matching;
    }

    private static <T> List<T> chosen(List<T> all, Function<T, String> id, Set<String> ids) {
        return all.stream().filter(each -> ids.contains(id.apply(each))).toList();
    }
}
