package dev.holdfast.lock.bench;

import dev.holdfast.lock.bench.measure.Effort;
import dev.holdfast.lock.bench.measure.Scenario;
import dev.holdfast.lock.bench.peer.Candidate;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What the command line asks for.
 *
 * @param directory where the results go
 * @param seed of the order of turns
 */
record Arguments(Effort effort, List<Scenario> scenarios, List<Candidate> candidates, Path directory, long seed) {

    static final String USAGE = """
            usage: lock bench [--quick] [--rounds N] [--only ID,...] [--scenario ID,...] [--seed N] [--out DIR]

              --quick            two rounds, of less each: a first look, in some minutes instead of about twenty
              --rounds N         so many rounds
              --only ID,...      these candidates, or all whose ids begin with one of these
              --scenario ID,...  these scenarios, or all whose ids begin with one of these
              --seed N           the order of turns of an earlier run
              --out DIR          where the results go
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
     * @param directory if they name none
     * @param seed if they name none
     */
    static Arguments of(List<String> arguments, List<Candidate> candidates, Path directory, long seed) throws Wrong {
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
        return new Arguments(
                effort,
                chosen("scenario", Scenario.all(effort), Scenario::id, scenarios),
                chosen("candidate", candidates, Candidate::id, only),
                out,
                drawn);
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

    /** Those of this id, or if there is none, those whose ids begin so. */
    private static <T> List<T> chosen(String kind, List<T> all, Function<T, String> id, List<String> words)
            throws Wrong {
        List<T> chosen = new ArrayList<>();
        for (String word : words) {
            List<T> some =
                    all.stream().filter(each -> id.apply(each).equals(word)).toList();
            if (some.isEmpty()) {
                some = all.stream()
                        .filter(each -> id.apply(each).startsWith(word))
                        .toList();
            }
            if (some.isEmpty()) {
                throw new Wrong("unknown " + kind + ": " + word + "; there are "
                        + String.join(", ", all.stream().map(id).toList()));
            }
            chosen.addAll(some);
        }
        return all.stream().filter(chosen::contains).toList();
    }
}
