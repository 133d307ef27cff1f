package dev.holdfast.lock.bench;

import dev.holdfast.lock.bench.alone.Observation;
import dev.holdfast.lock.bench.measure.Effort;
import dev.holdfast.lock.bench.measure.Scenario;
import dev.holdfast.lock.bench.peer.Candidate;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * What the command line asks for.
 *
 * @param observations of Holdfast alone; none if it is not among the candidates
 * @param directory where the results go
 * @param seed of the order of turns
 */
record Arguments(
        Effort effort,
        List<Scenario> scenarios,
        List<Candidate> candidates,
        List<Observation> observations,
        Path directory,
        long seed) {

    static final String USAGE = """
            usage: lock bench [--quick] [--rounds N] [--only ID,...] [--scenario ID,...] [--seed N] [--out DIR]

              --quick            two rounds, of less each: a first look, in some minutes instead of about twenty
              --rounds N         so many rounds
              --only ID,...      these candidates, or all whose ids begin with one of these
              --scenario ID,...  these scenarios, or all whose ids begin with one of these
              --seed N           the order of turns of an earlier run
              --out DIR          where the results go
              --help             this
            """;

    /** What is wrong with a command line, and what is allowed. */
    static final class Wrong extends Exception {
        private static final long serialVersionUID = 1;

        Wrong(String message) {
            super(message);
        }
    }

    /**
     * Reads them.
     *
     * @param candidates all there are
     * @param jar of the command line, which is observed, too
     * @param directory if they name none
     * @param seed if they name none
     */
    static Arguments read(List<String> arguments, List<Candidate> candidates, Path jar, Path directory, long seed)
            throws Wrong {
        boolean isQuick = false;
        int rounds = 0;
        List<String> only = List.of("");
        List<String> scenarios = List.of("");
        Path out = directory;
        long drawn = seed;
        for (int i = 0; i < arguments.size(); i++) {
            String option = arguments.get(i);
            switch (option) {
                case "--quick" -> isQuick = true;
                case "--rounds" -> rounds = (int) number(option, value(arguments, ++i), 1, 1_000);
                case "--only" -> only = list(option, value(arguments, ++i));
                case "--scenario" -> scenarios = list(option, value(arguments, ++i));
                case "--seed" -> drawn = number(option, value(arguments, ++i), Long.MIN_VALUE, Long.MAX_VALUE);
                case "--out" -> out = path(value(arguments, ++i));
                default -> throw new Wrong("unknown argument: " + option);
            }
        }
        Effort effort = isQuick ? Effort.QUICK : Effort.FULL;
        if (rounds > 0) {
            effort = effort.withRounds(rounds);
        }
        List<Candidate> those =
                chosen(candidates, Candidate::id, ids("candidate", of(candidates, Candidate::id), only));
        List<Observation> alone = isQuick ? Observations.quick(jar) : Observations.full(jar);
        List<Scenario> all = Scenario.all(effort);
        List<String> both = new ArrayList<>(of(all, Scenario::id));
        both.addAll(of(alone, Observation::id));
        Set<String> named = ids("scenario", both, scenarios);
        List<Scenario> compared = chosen(all, Scenario::id, named);
        List<Observation> observed =
                those.stream().anyMatch(Candidate::ours) ? chosen(alone, Observation::id, named) : List.of();
        if (compared.isEmpty() && observed.isEmpty()) {
            throw new Wrong(
                    "Holdfast alone goes through " + String.join(", ", scenarios) + ", and is not among --only");
        }
        return new Arguments(effort, compared, those, observed, out, drawn);
    }

    private static String value(List<String> arguments, int index) throws Wrong {
        if (index == arguments.size()) {
            throw new Wrong("nothing follows " + arguments.get(index - 1));
        }
        return arguments.get(index);
    }

    private static long number(String option, String text, long least, long most) throws Wrong {
        try {
            long number = Long.parseLong(text);
            if (least <= number && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // neither is that one
        }
        throw new Wrong(option + " " + text + ": a whole number from " + least + " to " + most + " is allowed");
    }

    private static List<String> list(String option, String text) throws Wrong {
        List<String> words = List.of(text.split(",", -1));
        if (words.contains("")) {
            throw new Wrong(option + " '" + text + "': ids with commas between them are allowed");
        }
        return words;
    }

    private static Path path(String text) throws Wrong {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new Wrong("--out " + e.getMessage());
        }
    }

    private static <T> List<String> of(List<T> all, Function<T, String> id) {
        return all.stream().map(id).toList();
    }

    private static <T> List<T> chosen(List<T> all, Function<T, String> id, Set<String> ids) {
        return all.stream().filter(each -> ids.contains(id.apply(each))).toList();
    }

    /** Each word itself, or if that is none of them, those that begin so. */
    private static Set<String> ids(String kind, List<String> all, List<String> words) throws Wrong {
        Set<String> chosen = new HashSet<>();
        for (String word : words) {
            List<String> some = all.contains(word)
                    ? List.of(word)
                    : all.stream().filter(id -> id.startsWith(word)).toList();
            if (some.isEmpty()) {
                throw new Wrong("unknown " + kind + ": " + word + "; there are " + String.join(", ", all));
            }
            chosen.addAll(some);
        }
        return chosen;
    }
}
