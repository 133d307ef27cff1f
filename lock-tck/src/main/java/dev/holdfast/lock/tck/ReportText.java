package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.tck.ConformanceReport.Origin;
import dev.holdfast.lock.tck.ConformanceReport.Outcome;
import dev.holdfast.lock.tck.ConformanceReport.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A {@link ConformanceReport} as a page for people. */
final class ReportText {

    private final StringBuilder page = new StringBuilder();

    private ReportText() {}

    static String of(ConformanceReport report) {
        ReportText text = new ReportText();
        text.head(report);
        text.section("failed", report, Verdict.FAILED);
        text.section("not run", report, Verdict.NOT_RUN);
        text.section("exempt: left out by the test class", report, Verdict.EXEMPT);
        text.section("aborted: could not be checked", report, Verdict.ABORTED);
        return text.page.toString();
    }

    private void head(ConformanceReport report) {
        line(report.summary());
        line(report.conforms() ? "the store conforms, as far as it was checked" : "the store does not conform");
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
        return report.capabilities().isEmpty()
                ? "none"
                : report.capabilities().stream().map(Capability::name).collect(Collectors.joining(", "));
    }

    /** Rules of one promise that have one reason share its line. */
    private void section(String title, ConformanceReport report, Verdict verdict) {
        List<Rule> rules = report.rules(verdict);
        if (rules.isEmpty()) {
            return;
        }
        line("");
        line(title);
        Map<String, Map<String, List<String>>> byPromise = new LinkedHashMap<>();
        for (Rule rule : rules) {
            Outcome outcome = report.outcome(rule);
            byPromise
                    .computeIfAbsent(promise(rule), anyPromise -> new LinkedHashMap<>())
                    .computeIfAbsent(outcome.why(), anyReason -> new ArrayList<>())
                    .add(rule.id());
        }
        byPromise.forEach((promise, reasons) -> {
            line("  " + promise);
            reasons.forEach(
                    (why, ids) -> line("    " + (saysItself(why, ids) ? "" : String.join(", ", ids) + ": ") + why));
        });
    }

    /** What failed begins with the rule already. */
    private static boolean saysItself(String why, List<String> ids) {
        return why.startsWith(ids.get(0) + " broken: ");
    }

    private static String promise(Rule rule) {
        String promise = rule.id().split("\\.", 2)[0];
        return switch (promise) {
            case "P1" -> "P1 one holder at a time";
            case "P2" -> "P2 rising tokens";
            case "P3" -> "P3 loss told in time";
            case "P4" -> "P4 asking twice does no harm";
            case "P5" -> "P5 who gave up never owns";
            case "P6" -> "P6 silence is not an answer";
            case "P7" -> "P7 who came first is served first";
            case "P8" -> "P8 who waits is told";
            case "P9" -> "P9 nothing grows";
            case "P10" -> "P10 renewal never resurrects";
            default -> "I who looks sees what is, and disturbs nobody";
        };
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
