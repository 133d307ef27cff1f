package dev.holdfast.lock.bench;

import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import dev.holdfast.lock.bench.scenario.Scenario;
import dev.holdfast.lock.bench.scenario.Scenarios;
import dev.holdfast.lock.bench.scenario.Workload;
import dev.holdfast.lock.bench.solo.SoloScenario;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The command line.
 *
 * @param soloScenarios none unless Holdfast is among the candidates
 * @param directory of the results
 * @param seed of the order of turns
 */
record BenchArguments(
        Workload workload,
        List<Scenario> scenarios,
        List<Candidate> candidates,
        List<SoloScenario> soloScenarios,
        Path directory,
        long seed) {

    static final String USAGE = """
            usage: lock bench [--quick] [--mariadb] [--rounds N] [--only ID,...] [--scenario ID,...] [--seed N] [--out DIR]
              --quick            a first look: two short rounds, some minutes instead of about twenty
              --mariadb          MariaDB, too: downloads its server, of 350 MB, when first asked for
              --rounds N         the number of rounds
              --only ID,...      these candidates: an id, or the beginning of several
              --scenario ID,...  these scenarios: an id, or the beginning of several
              --seed N           the order of turns of an earlier run
              --out DIR          the directory of the results
              --help             this text
            """;

    /** A command line that is not allowed. The message says what is. */
    static final class UsageException extends Exception {
        private static final long serialVersionUID = 1;

        UsageException(String message) {
            super(message);
        }
    }

    /**
     * Parses a command line.
     *
     * @param candidates all candidates
     * @param jar of the command line, which is measured, too
     * @param defaultDirectory without {@code --out}
     * @param defaultSeed without {@code --seed}
     */
    static BenchArguments parse(
            List<String> arguments, List<Candidate> candidates, Path jar, Path defaultDirectory, long defaultSeed)
            throws UsageException {
        boolean isQuick = false;
        boolean withMariaDb = false;
        int rounds = 0;
        List<String> only = List.of("");
        List<String> scenarioIds = List.of("");
        Path directory = defaultDirectory;
        long seed = defaultSeed;
        for (int i = 0; i < arguments.size(); i++) {
            String option = arguments.get(i);
            switch (option) {
                case "--quick" -> isQuick = true;
                case "--mariadb" -> withMariaDb = true;
                case "--rounds" -> rounds = (int) number(option, value(arguments, ++i), 1, 1_000);
                case "--only" -> only = ids(option, value(arguments, ++i));
                case "--scenario" -> scenarioIds = ids(option, value(arguments, ++i));
                case "--seed" -> seed = number(option, value(arguments, ++i), Long.MIN_VALUE, Long.MAX_VALUE);
                case "--out" -> directory = path(value(arguments, ++i));
                default -> throw new UsageException("unknown argument: " + option);
            }
        }
        Workload preset = isQuick ? Workload.QUICK : Workload.FULL;
        Workload workload = rounds > 0 ? preset.withRounds(rounds) : preset;
        List<Scenario> scenarios = Scenarios.all(workload);
        List<SoloScenario> soloScenarios = isQuick ? SoloScenario.quick(jar) : SoloScenario.full(jar);

        List<Candidate> allowed = withMariaDb
                ? candidates
                : candidates.stream()
                        .filter(candidate -> candidate.store() != Store.MARIADB)
                        .toList();
        Set<String> candidateIds =
                matching("candidate", allowed.stream().map(Candidate::id).toList(), only);
        Stream<String> all = Stream.concat(
                scenarios.stream().map(Scenario::id), soloScenarios.stream().map(SoloScenario::id));
        Set<String> chosenIds = matching("scenario", all.toList(), scenarioIds);
        List<Candidate> chosen = chosen(allowed, Candidate::id, candidateIds);
        List<Scenario> compared = chosen(scenarios, Scenario::id, chosenIds);
        List<SoloScenario> solo = chosen.stream().anyMatch(Candidate::isHoldfast)
                ? chosen(soloScenarios, SoloScenario::id, chosenIds)
                : List.of();
        if (compared.isEmpty() && solo.isEmpty()) {
            throw new UsageException(
                    "only Holdfast goes through " + String.join(", ", scenarioIds) + ", but --only leaves it out");
        }
        return new BenchArguments(workload, compared, chosen, solo, directory, seed);
    }

    boolean needsMariaDb() {
        return candidates.stream().anyMatch(candidate -> candidate.store() == Store.MARIADB);
    }

    private static String value(List<String> arguments, int index) throws UsageException {
        if (index == arguments.size()) {
            throw new UsageException(arguments.get(index - 1) + " needs a value");
        }
        return arguments.get(index);
    }

    private static long number(String option, String text, long min, long max) throws UsageException {
        try {
            long number = Long.parseLong(text);
            if (min <= number && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The message below covers it.
        }
        throw new UsageException(option + " " + text + ": a whole number from " + min + " to " + max + " is allowed");
    }

    private static List<String> ids(String option, String text) throws UsageException {
        List<String> ids = List.of(text.split(",", -1));
        if (ids.contains("")) {
            throw new UsageException(option + " '" + text + "': ids separated by commas are allowed");
        }
        return ids;
    }

    private static Path path(String text) throws UsageException {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new UsageException("--out " + e.getMessage());
        }
    }

    /** Each word itself if it is an id, otherwise the ids that begin with it. */
    private static Set<String> matching(String kind, List<String> ids, List<String> words) throws UsageException {
        Set<String> matching = new HashSet<>();
        for (String word : words) {
            List<String> some = ids.contains(word)
                    ? List.of(word)
                    : ids.stream().filter(id -> id.startsWith(word)).toList();
            if (some.isEmpty()) {
                throw new UsageException("unknown " + kind + ": " + word + "; there are " + String.join(", ", ids));
            }
            matching.addAll(some);
        }
        return matching;
    }

    private static <T> List<T> chosen(List<T> all, Function<T, String> id, Set<String> ids) {
        return all.stream().filter(each -> ids.contains(id.apply(each))).toList();
    }
}
