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
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of each rule in one run of the kit. Written as text and as JSON at the end of each run of a class that extends
 * {@link LockStoreContract}, whether its tests passed or not. Immutable.
 *
 * @param testClass the class that was run
 * @param finished when the last test ended
 * @param java the virtual machine and the operating system
 * @param kit the origin of {@link LockStoreContract}
 * @param api the origin of {@link dev.holdfast.lock.Locks}
 * @param provider the {@code lock.provider} of the class's configuration; empty if no store was opened
 * @param store the origin of the store's class; empty if no store was opened
 * @param capabilities the capabilities of the store; empty if no store was opened
 * @param outcomes one per rule; a missing rule counts as not run
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

    /** Copies the collections, and adds the missing rules. */
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

    /** The kinds of outcome, the worst last. */
    public enum Verdict {
        /** The store does what the rule demands. */
        PASSED,
        /** The rule could not be checked: the store lacks a capability, or the test class does not override a method. */
        ABORTED,
        /** The test class exempts the store from the rule: {@link LockStoreContract#exemptions}. */
        EXEMPT,
        /** The store breaks the rule. */
        FAILED,
        /** The test was not selected, disabled, aborted by anything but the kit, or never reached. */
        NOT_RUN
    }

    /**
     * The outcome of a rule.
     *
     * @param why the reason, in one line; for a rule that passed, the number of its attempts if that depends on the store, else empty
     */
    public record Outcome(Verdict verdict, String why) {
        static final Outcome PASSED = new Outcome(Verdict.PASSED, "");
        static final Outcome NOT_RUN = new Outcome(Verdict.NOT_RUN, "its test was not run");

        /** With the first line of the exception's message as the reason. */
        static Outcome of(Verdict verdict, @Nullable Throwable thrown) {
            String message = thrown == null ? null : thrown.getMessage();
            String all = message == null || message.isBlank() ? String.valueOf(thrown) : message.strip();
            return because(verdict, all);
        }

        /** With the first line of this text as the reason. */
        static Outcome because(Verdict verdict, String reason) {
            return new Outcome(verdict, reason.lines().findFirst().orElse(reason));
        }
    }

    /**
     * Where a class comes from.
     *
     * @param name the class
     * @param version the {@code Implementation-Version} of its jar; empty if there is none
     * @param location its jar or folder; empty if the class loader does not say
     */
    public record Origin(String name, Optional<String> version, Optional<String> location) {}

    /** The rules with this verdict, in order. */
    public List<Rule> rules(Verdict verdict) {
        return Stream.of(Rule.values())
                .filter(rule -> outcome(rule).verdict() == verdict)
                .toList();
    }

    /** The outcome of this rule. */
    public Outcome outcome(Rule rule) {
        return Objects.requireNonNull(outcomes.get(rule));
    }

    /**
     * Whether rules passed, none failed and each was run. Some may have been aborted or be exempt: their reasons are
     * for the reader to judge.
     */
    public boolean conforms() {
        return !rules(Verdict.PASSED).isEmpty()
                && rules(Verdict.FAILED).isEmpty()
                && rules(Verdict.NOT_RUN).isEmpty();
    }

    /** Such as {@code 90 rules: 77 passed, 13 aborted, 0 failed}, and the number of exempt rules and rules not run, if any. */
    public String summary() {
        return String.format(
                Locale.ROOT,
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

    /** The report as text: the summary first, then the rules that did not pass, by promise. */
    public String toText() {
        return ReportText.of(this);
    }

    /** The report as JSON: one object, with each rule in {@code rules}. */
    public String toJson() {
        return ReportJson.of(this);
    }

    /**
     * Writes both, named after the test class, and replaces those of an earlier run.
     *
     * @param directory created if it does not exist
     * @throws IOException if a file cannot be written
     */
    void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(text(directory, testClass), toText());
        Files.writeString(json(directory, testClass), toJson());
    }

    /** Removes the reports of an earlier run, so that they are not taken for those of a run that fails early. */
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
