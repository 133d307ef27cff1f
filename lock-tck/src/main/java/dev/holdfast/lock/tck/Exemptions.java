package dev.holdfast.lock.tck;

import dev.holdfast.lock.tck.ConformanceReport.Outcome;
import dev.holdfast.lock.tck.ConformanceReport.Verdict;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules that a test class is exempt from, each with its reason. */
final class Exemptions {

    private final Map<Rule, String> reasons;

    private Exemptions(Map<Rule, String> reasons) {
        this.reasons = Collections.unmodifiableMap(reasons);
    }

    /** @throws IllegalArgumentException if a number is not that of a rule or a reason is blank */
    static Exemptions of(Map<String, String> given) {
        Map<Rule, String> reasons = new EnumMap<>(Rule.class);
        given.forEach((id, reason) -> {
            if (reason == null || reason.isBlank()) {
                throw new IllegalArgumentException(
                        "exemptions() gives no reason for " + id + ": the reason must not be blank");
            }
            reasons.put(rule(id), reason.strip());
        });
        return new Exemptions(reasons);
    }

    private static Rule rule(String id) {
        return Stream.of(Rule.values())
                .filter(rule -> rule.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "exemptions() names '" + id + "', which is not a rule; the rules are " + allRules()));
    }

    /** The first and the last rule of each promise. */
    private static String allRules() {
        Map<String, List<String>> byPromise = Stream.of(Rule.values())
                .map(Rule::id)
                .collect(Collectors.groupingBy(
                        id -> id.replaceFirst("[.]?[0-9]+$", ""), LinkedHashMap::new, Collectors.toList()));
        return byPromise.values().stream()
                .map(ids -> ids.get(0) + " to " + ids.get(ids.size() - 1))
                .collect(Collectors.joining(", "));
    }

    /** The outcome in the report if the rule is exempt. */
    Optional<Outcome> of(Rule rule) {
        return Optional.ofNullable(reasons.get(rule)).map(reason -> Outcome.because(Verdict.EXEMPT, reason));
    }
}
