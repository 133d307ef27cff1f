package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Capability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one run of the kit found: for each rule whether it passed, and if not, why. Written as text and as JSON at the end of
 * each run of a class that extends {@link LockStoreContract}, whatever became of its tests. Immutable.
 *
 * @param testClass the class that was run
 * @param finished when its last test was over
 * @param java the virtual machine and the system it ran on
 * @param kit the kit: where {@link LockStoreContract} came from
 * @param api what the kit ran against: where {@link dev.holdfast.lock.Locks} came from
 * @param provider what {@code lock.provider} says in the class's configuration; empty if no test got that far
 * @param store the class of the store and where it came from; empty if none was ever opened
 * @param capabilities what the store can do beyond the steps; empty if none was ever opened
 * @param outcomes one per rule: what is not given counts as not run
 */
public record ConformanceReport(
        String testClass,
        Instant finished,
        String java,
        Origin kit,
        Origin api,
        Optional<String> provider,
        Optional<Origin> store,
        Set<Capability> capabilities,
        Map<Rule, Outcome> outcomes) {

    /** Copies, and adds the rules that are missing. */
    public ConformanceReport {
        Set<Capability> sorted = EnumSet.noneOf(Capability.class);
        sorted.addAll(capabilities);
        capabilities = Collections.unmodifiableSet(sorted);
        Map<Rule, Outcome> complete = new EnumMap<>(Rule.class);
        for (Rule rule : Rule.values()) {
            complete.put(rule, outcomes.getOrDefault(rule, Outcome.NOT_RUN));
        }
        outcomes = Collections.unmodifiableMap(complete);
    }

    /** What became of a rule. */
    public enum Verdict {
        /** The store did what the rule demands. */
        PASSED,
        /** It could not be checked: the store lacks the capability, or the test class a method. */
        ABORTED,
        /** The test class leaves it out, and says why: {@link LockStoreContract#exemptions}. */
        EXEMPT,
        /** The store did something else. */
        FAILED,
        /** Nobody tried: its test was not selected, switched off, aborted by others than the kit, or never reached. */
        NOT_RUN
    }

    /**
     * What became of a rule, and why.
     *
     * @param why one line; empty if it passed
     */
    public record Outcome(Verdict verdict, String why) {
        static final Outcome PASSED = new Outcome(Verdict.PASSED, "");
        static final Outcome NOT_RUN = new Outcome(Verdict.NOT_RUN, "its test was not run");

        /** By the first line of what was thrown, if anything was. */
        static Outcome of(Verdict verdict, @Nullable Throwable thrown) {
            String message = thrown == null ? null : thrown.getMessage();
            String all = message == null || message.isBlank() ? String.valueOf(thrown) : message.strip();
            return because(verdict, all);
        }

        /** By the first line of this. */
        static Outcome because(Verdict verdict, String reason) {
            return new Outcome(verdict, reason.lines().findFirst().orElse(reason));
        }
    }

    /**
     * Where something came from.
     *
     * @param name the class
     * @param version the {@code Implementation-Version} of its jar; empty if there is none
     * @param location its jar or folder; empty if the class loader does not say
     */
    public record Origin(String name, Optional<String> version, Optional<String> location) {}

    /** The rules with this verdict, in their order. */
    public List<Rule> rules(Verdict verdict) {
        return Stream.of(Rule.values())
                .filter(rule -> outcome(rule).verdict() == verdict)
                .toList();
    }

    /** What became of this rule. */
    public Outcome outcome(Rule rule) {
        return Objects.requireNonNull(outcomes.get(rule));
    }

    /**
     * Whether rules passed, none failed and none was not run. It may be that some could not be checked or are exempt: which,
     * and why, is for the reader to judge.
     */
    public boolean conforms() {
        return !rules(Verdict.PASSED).isEmpty()
                && rules(Verdict.FAILED).isEmpty()
                && rules(Verdict.NOT_RUN).isEmpty();
    }

    /** Such as {@code 90 rules: 77 passed, 13 aborted, 0 failed}; if some are exempt or were not run it says so, too. */
    public String summary() {
        return String.format(
                "%d rules: %d passed, %d aborted, %d failed%s%s",
                outcomes.size(),
                rules(Verdict.PASSED).size(),
                rules(Verdict.ABORTED).size(),
                rules(Verdict.FAILED).size(),
                ifAny(Verdict.EXEMPT, "exempt"),
                ifAny(Verdict.NOT_RUN, "not run"));
    }

    private String ifAny(Verdict verdict, String what) {
        int count = rules(verdict).size();
        return count == 0 ? "" : ", " + count + " " + what;
    }

    /** For people: the summary first, then all that did not pass, by promise. */
    public String toText() {
        return ReportText.of(this);
    }

    /** For programs: one object, with each rule in {@code rules}. */
    public String toJson() {
        return ReportJson.of(this);
    }

    /**
     * Writes both, named after the test class, in place of those of an earlier run.
     *
     * @param directory where; made if it is not there
     * @throws IOException if that is not possible
     */
    void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(text(directory, testClass), toText());
        Files.writeString(json(directory, testClass), toJson());
    }

    /** Removes those of an earlier run: whatever becomes of the next, they are not its reports. */
    static void remove(Path directory, String testClass) throws IOException {
        Files.deleteIfExists(text(directory, testClass));
        Files.deleteIfExists(json(directory, testClass));
    }

    private static Path text(Path directory, String testClass) {
        return directory.resolve(testClass + ".txt");
    }

    private static Path json(Path directory, String testClass) {
        return directory.resolve(testClass + ".json");
    }
}
