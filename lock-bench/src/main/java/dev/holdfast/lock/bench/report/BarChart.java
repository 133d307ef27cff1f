package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measurement.Metric;
import dev.holdfast.lock.bench.report.Summary.Aggregate;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A bar for each candidate, up to its median, with a whisker from the lowest round to the highest. The scale is logarithmic if
 * the highest value is many times the lowest.
 */
final class BarChart {

    private static final double LOGARITHMIC_FACTOR = 20;
    private static final int WIDTH = 860;
    private static final int LEFT = 262;
    private static final int BARS = 380;
    private static final int TOP = 64;
    private static final int ROW = 26;
    private static final int BAR = 16;

    private final String title;
    private final Metric metric;
    private final List<Bar> bars;
    private final boolean isLogarithmic;
    private final double scaleStart;
    private final double scaleEnd;

    /** @param bars at least one, from top to bottom */
    BarChart(String title, Metric metric, List<Bar> bars) {
        this.title = title;
        this.metric = metric;
        this.bars = bars;
        double min = aggregates().mapToDouble(Aggregate::min).min().orElse(0);
        this.scaleEnd = aggregates().mapToDouble(Aggregate::max).max().orElse(1);
        this.isLogarithmic = min > 0 && scaleEnd / min > LOGARITHMIC_FACTOR;
        this.scaleStart = isLogarithmic ? Math.pow(10, Math.floor(Math.log10(min))) : 0;
    }

    /**
     * A candidate.
     *
     * @param missing the reason why it was not measured in some round; empty if it was in all
     */
    record Bar(String label, boolean isOurs, Optional<Aggregate> aggregate, String missing) {}

    private Stream<Aggregate> aggregates() {
        return bars.stream().flatMap(bar -> bar.aggregate().stream());
    }

    String svg() {
        String subtitle = metric.heading() + (metric.isBetterWhenMore ? ": more is better" : ": less is better")
                + "; bar: median, whisker: lowest to highest round"
                + (isLogarithmic ? "; logarithmic scale" : "");
        Svg svg = new Svg(WIDTH, TOP + ROW * bars.size() + 12, title, subtitle);
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            int top = TOP + i * ROW;
            int textLine = top + BAR / 2 + 5;
            svg.text(12, textLine, "label", bar.label());
            bar.aggregate()
                    .ifPresentOrElse(
                            aggregate -> draw(svg, bar, aggregate, top, textLine),
                            () -> svg.text(LEFT, textLine, "note", bar.missing()));
        }
        return svg.end();
    }

    private void draw(Svg svg, Bar bar, Aggregate aggregate, int top, int textLine) {
        int middle = top + BAR / 2;
        double min = x(aggregate.min());
        double max = x(aggregate.max());
        svg.add(
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>",
                bar.isOurs() ? "ours" : "peer", LEFT, top, Math.max(1, x(aggregate.value()) - LEFT), BAR);
        svg.add(
                "<path class=\"whisker\" d=\"M%.1f %dv8M%.1f %dH%.1fM%.1f %dv8\"/>",
                min, middle - 4, min, middle, max, max, middle - 4);
        String value = metric.format(aggregate.value()) + (bar.missing().isEmpty() ? "" : "; not in every round");
        svg.text(Math.max(x(aggregate.value()), max) + 8, textLine, "value", value);
    }

    private double x(double value) {
        double share =
                isLogarithmic ? Math.log(value / scaleStart) / Math.log(scaleEnd / scaleStart) : value / scaleEnd;
        return LEFT + Math.max(0, share) * BARS;
    }
}
