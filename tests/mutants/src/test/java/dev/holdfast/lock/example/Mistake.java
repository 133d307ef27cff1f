package dev.holdfast.lock.example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/** A mistake that the author of a store may make: a change of the example, kept in {@code mistakes/<name>.diff}. */
enum Mistake {
    /** The end of an entry is written, but never compared. */
    NEVER_EXPIRES(Rule.P1_8),

    /** A release ends the lease of any holder. */
    RELEASES_BY_NAME(Rule.P4_2),

    /** The last token is kept for as long as the store is open. */
    FORGETS_TOKENS(Rule.P2_3),

    /** A directory that cannot be read counts as a lock that is busy. */
    HIDES_OUTAGES(Rule.P6_1),

    /** File locks alone do not exclude the threads of one process. */
    FORGETS_THREADS(Rule.P1_6),

    /** A release frees the lock at once, whatever its minimum hold. */
    IGNORES_MINIMUM_HOLD(Rule.P1_11),

    /** A lease begins and ends by the clock of the machine that the process runs on. */
    USES_ITS_OWN_CLOCK(Rule.P1_21);

    private final Rule rule;

    Mistake(Rule rule) {
        this.rule = rule;
    }

    /** The rule that this mistake breaks. */
    Rule rule() {
        return rule;
    }

    /** Makes the mistake in a copy of the example. */
    void make(Path project) throws IOException {
        String name = name().toLowerCase(Locale.ROOT).replace('_', '-') + ".diff";
        List<String> diff;
        try (InputStream in = Objects.requireNonNull(Mistake.class.getResourceAsStream("/mistakes/" + name), name)) {
            diff = new String(in.readAllBytes(), UTF_8).lines().toList();
        }
        assertThat(diff.get(0)).as(name).startsWith("--- ");
        Path file = project.resolve(diff.get(0).substring("--- ".length()));
        String before = side(diff, '-');
        String source = Files.readString(file);
        assertThat(source.split(Pattern.quote(before), -1))
                .as("%s must have this once, for %s:%n%s", file, name, before)
                .hasSize(2);
        Files.writeString(file, source.replace(before, side(diff, '+')));
    }

    /** The lines of one side of the diff, with the common lines. */
    private static String side(List<String> diff, char sign) {
        return diff.stream()
                .skip(1)
                .filter(line -> line.charAt(0) == sign || line.charAt(0) == ' ')
                .map(line -> line.substring(1) + "\n")
                .collect(joining());
    }
}
