package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.alone.Observed;
import dev.holdfast.lock.bench.alone.Quantity;
import java.util.ArrayList;
import java.util.List;

/** A table of each observation, in Markdown; or why there is none. */
final class ObservationTable {

    private ObservationTable() {}

    static List<String> lines(List<Observed> observations) {
        List<String> lines = new ArrayList<>();
        for (Observed observed : observations) {
            lines.add("### Holdfast alone: " + observed.title());
            lines.add("");
            if (!observed.quantities().isEmpty()) {
                List<List<String>> rows = new ArrayList<>();
                rows.add(List.of("", "measured", "unit"));
                for (Quantity quantity : observed.quantities()) {
                    rows.add(List.of(quantity.what(), quantity.text(), quantity.unit()));
                }
                lines.addAll(Markdown.table(rows));
            }
            observed.missing()
                    .flatMap(why -> why.lines().findFirst())
                    .ifPresent(why -> lines.add("Not measured: " + why));
            lines.add("");
        }
        return lines;
    }
}
