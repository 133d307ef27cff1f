package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.tck.ConformanceReport.Origin;
import dev.holdfast.lock.tck.ConformanceReport.Outcome;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A {@link ConformanceReport} as JSON (RFC 8259). Unknown values are {@code null}. */
final class ReportJson {

    private ReportJson() {}

    static String of(ConformanceReport report) {
        return """
                {
                  "conforms": %s,
                  "summary": %s,
                  "provider": %s,
                  "store": %s,
                  "capabilities": [%s],
                  "testClass": %s,
                  "kit": %s,
                  "api": %s,
                  "java": %s,
                  "finished": %s,
                  "rules": [
                %s
                  ]
                }
                """.formatted(
                        report.conforms(),
                        text(report.summary()),
                        text(report.provider()),
                        report.store().map(ReportJson::origin).orElse("null"),
                        report.capabilities().stream()
                                .map(Capability::name)
                                .map(ReportJson::text)
                                .collect(Collectors.joining(", ")),
                        text(report.testClass()),
                        origin(report.kit()),
                        origin(report.api()),
                        text(report.java()),
                        text(report.finished().toString()),
                        Stream.of(Rule.values())
                                .map(rule -> "    " + rule(rule, report.outcome(rule)))
                                .collect(Collectors.joining(",\n")));
    }

    private static String origin(Origin origin) {
        return "{\"class\": %s, \"version\": %s, \"location\": %s}"
                .formatted(text(origin.name()), text(origin.version()), text(origin.location()));
    }

    private static String rule(Rule rule, Outcome outcome) {
        String verdict = outcome.verdict().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return "{\"id\": %s, \"demand\": %s, \"verdict\": %s, \"why\": %s}"
                .formatted(
                        text(rule.id()),
                        text(rule.demand()),
                        text(verdict),
                        outcome.why().isEmpty() ? "null" : text(outcome.why()));
    }

    private static String text(Optional<String> value) {
        return value.map(ReportJson::text).orElse("null");
    }

    private static String text(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        value.codePoints().forEach(codePoint -> {
            boolean isLoneSurrogate = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
            if (codePoint == '"' || codePoint == '\\') {
                quoted.append('\\').appendCodePoint(codePoint);
            } else if (codePoint < ' ' || isLoneSurrogate) { // which no UTF-8 holds
                quoted.append(String.format(Locale.ROOT, "\\u%04x", codePoint));
            } else {
                quoted.appendCodePoint(codePoint);
            }
        });
        return quoted.append('"').toString();
    }
}
