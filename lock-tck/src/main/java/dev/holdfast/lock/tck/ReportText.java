package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.tck.ConformanceReport.Origin;
import dev.holdfast.lock.tck.ConformanceReport.Outcome;
import dev.holdfast.lock.tck.ConformanceReport.Verdict;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A {@link ConformanceReport} as text. */
final class ReportText {

    private final StringBuilder page = new StringBuilder();

    private ReportText() {}

    static String of(ConformanceReport report) {
        ReportText text = new ReportText();
        text.head(report);
        text.section("failed", report, Verdict.FAILED);
        text.section("not run", report, Verdict.NOT_RUN);
        text.section("exempt: not checked, by decision of the test class", report, Verdict.EXEMPT);
        text.section("aborted: cannot be checked on this store", report, Verdict.ABORTED);
        text.section("passed, by as many tries as the speed of the store allows", report, Verdict.PASSED);
        return text.page.toString();
    }

    private void head(ConformanceReport report) {
        line(report.summary());
        line(report.conforms() ? "the store conforms to every rule that was checked" : "the store does not conform");
        line("");
        line("provider      " + report.provider().orElse("unknown"));
        line("store         " + report.store().map(ReportText::described).orElse("never opened"));
        line("capabilities  " + described(report));
        line("test class    " + report.testClass());
        line("kit           " + described(report.kit()));
        line("api           " + described(report.api()));
        line("java          " + report.java());
        line("finished      " + report.finished());
    }

    private static String described(Origin origin) {
        return origin.name()
                + origin.version().map(version -> " " + version).orElse("")
                + origin.location().map(location -> " from " + location).orElse("");
    }

    private static String described(ConformanceReport report) {
        Set<Capability> lacking = EnumSet.allOf(Capability.class);
        lacking.removeAll(report.capabilities());
        return (report.capabilities().isEmpty() ? "none" : names(report.capabilities()))
                + (lacking.isEmpty() ? "" : " (lacks " + names(lacking) + ")");
    }

    private static String names(Collection<Capability> capabilities) {
        return capabilities.stream().map(Capability::name).collect(Collectors.joining(", "));
    }

    /** Rules of one promise with the same reason share a line. */
    private void section(String title, ConformanceReport report, Verdict verdict) {
        List<Rule> rules = report.rules(verdict).stream()
                .filter(rule -> !report.outcome(rule).why().isEmpty())
                .toList();
        if (rules.isEmpty()) {
            return;
        }
        line("");
        line(title);
        Map<String, Map<String, List<String>>> byPromise = new LinkedHashMap<>();
        for (Rule rule : rules) {
            Outcome outcome = report.outcome(rule);
            byPromise
                    .computeIfAbsent(rule.promise(), anyPromise -> new LinkedHashMap<>())
                    .computeIfAbsent(outcome.why(), anyReason -> new ArrayList<>())
                    .add(rule.id());
        }
        byPromise.forEach((promise, reasons) -> {
            line("  " + promise);
            reasons.forEach(
                    (why, ids) -> line("    " + (namesRule(why, ids) ? "" : String.join(", ", ids) + ": ") + why));
        });
    }

    /** The message of a failure begins with the rule already. */
    private static boolean namesRule(String why, List<String> ids) {
        return why.startsWith(ids.get(0) + " broken: ");
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
