package dev.holdfast.lock.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What was aimed at and what was measured, in Markdown; of what was not measured, how much that is. */
final class TargetTable {

    private TargetTable() {}

    static List<String> lines(List<Target> targets) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("target", "limit", "measured", "", "of"));
        for (Target target : targets) {
            @Nullable Double value = target.value();
            if (value != null) {
                rows.add(List.of(
                        target.what(),
                        (target.isAtMost() ? "≤ " : "≥ ") + number(target.limit()),
                        number(value),
                        target.isMet(value) ? "met" : "missed",
                        target.basis()));
            }
        }
        List<String> lines = new ArrayList<>(List.of("### Targets", ""));
        int missing = targets.size() + 1 - rows.size();
        if (rows.size() > 1) {
            lines.addAll(Markdown.table(rows));
        }
        if (missing > 0) {
            lines.add("");
            lines.add(missing + " of " + targets.size() + " need more than was measured in this run.");
        }
        return lines;
    }

    private static String number(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.2f", value);
    }
}
