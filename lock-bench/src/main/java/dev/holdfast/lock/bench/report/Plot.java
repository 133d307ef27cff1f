package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.measure.Figure;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A bar for each candidate: as long as its median, with a whisker from the least round to the greatest, in SVG. Where the
 * longest is many times the shortest, each further step of the scale is ten times the one before.
 */
final class Plot {

    private static final double FACTOR = 20;

    private static final int WIDTH = 860;
    private static final int LEFT = 262;
    private static final int BARS = 380;
    private static final int TOP = 64;
    private static final int ROW = 26;
    private static final int BAR = 16;

    private static final String STYLE = """
            <style>
              .ours { fill: #1a7f52; } .peer { fill: #8c959f; }
              .whisker { stroke: #24292f; stroke-width: 1.2; fill: none; }
              @media (prefers-color-scheme: dark) {
                .ours { fill: #3fb97f; } .peer { fill: #6e7681; }
                .whisker { stroke: #e6edf3; }
              }
            </style>
            """;

    private final String title;
    private final Figure figure;
    private final List<Bar> bars;
    private final boolean isLogarithmic;
    private final double from;
    private final double to;

    /** @param bars at least one, in the order in which they are shown */
    Plot(String title, Figure figure, List<Bar> bars) {
        this.title = title;
        this.figure = figure;
        this.bars = bars;
        double least = bars.stream()
                .flatMap(bar -> bar.over().stream())
                .mapToDouble(Summary.Over::least)
                .min()
                .orElse(0);
        this.to = bars.stream()
                .flatMap(bar -> bar.over().stream())
                .mapToDouble(Summary.Over::most)
                .max()
                .orElse(1);
        this.isLogarithmic = least > 0 && to / least > FACTOR;
        this.from = isLogarithmic ? Math.pow(10, Math.floor(Math.log10(least))) : 0;
    }

    /**
     * A candidate.
     *
     * @param over what is shown of it
     * @param note what is said beside it, or instead
     */
    record Bar(String label, boolean isOurs, Optional<Summary.Over> over, String note) {}

    String svg() {
        int height = TOP + ROW * bars.size() + 12;
        Svg svg = new Svg(WIDTH, height, title, STYLE);
        svg.text(12, 24, "title", title);
        svg.text(12, 46, "note", legend());
        for (int i = 0; i < bars.size(); i++) {
            draw(svg, bars.get(i), TOP + i * ROW);
        }
        return svg.end();
    }

    private String legend() {
        return figure.title() + (figure.unit().isEmpty() ? "" : ", " + figure.unit())
                + (figure.isBetterWhenMore() ? ": more is better" : ": less is better")
                + "; bar: median, whisker: least to greatest round"
                + (isLogarithmic ? "; logarithmic scale" : "");
    }

    private void draw(Svg svg, Bar bar, int top) {
        int middle = top + BAR / 2;
        svg.text(12, middle + 5, "label", bar.label());
        if (bar.over().isEmpty()) {
            svg.text(LEFT, middle + 5, "note", bar.note());
            return;
        }
        Summary.Over over = bar.over().get();
        svg.add(String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>",
                bar.isOurs() ? "ours" : "peer",
                LEFT,
                top,
                Math.max(1, x(over.value()) - LEFT),
                BAR));
        svg.add(String.format(
                Locale.ROOT,
                "<path class=\"whisker\" d=\"M%.1f %dv8M%.1f %dH%.1fM%.1f %dv8\"/>",
                x(over.least()),
                middle - 4,
                x(over.least()),
                middle,
                x(over.most()),
                x(over.most()),
                middle - 4));
        String value = figure.text(over.value()) + (bar.note().isEmpty() ? "" : "; not in every round");
        svg.text(x(Math.max(over.value(), over.most())) + 8, middle + 5, "value", value);
    }

    private double x(double value) {
        double share = isLogarithmic ? Math.log(value / from) / Math.log(to / from) : value / to;
        return LEFT + Math.max(0, share) * BARS;
    }
}
