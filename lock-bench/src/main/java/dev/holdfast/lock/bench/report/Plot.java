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

    private static final int WIDTH = 960;
    private static final int LEFT = 270;
    private static final int BARS = 400;
    private static final int TOP = 64;
    private static final int ROW = 26;
    private static final int BAR = 16;

    private static final String STYLE = """
            <style>
              text { font: 13px system-ui, sans-serif; fill: #24292f; }
              .title { font-size: 15px; font-weight: 600; }
              .note { font-size: 12px; fill: #57606a; }
              .value { font-variant-numeric: tabular-nums; }
              .ours { fill: #1a7f52; } .peer { fill: #8c959f; }
              .whisker { stroke: #24292f; stroke-width: 1.2; fill: none; }
              @media (prefers-color-scheme: dark) {
                text { fill: #e6edf3; } .note { fill: #9da7b3; }
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
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">%n",
                WIDTH,
                height,
                WIDTH,
                height));
        svg.append("<title>").append(escaped(title)).append("</title>\n").append(STYLE);
        text(svg, 12, 24, "title", title);
        text(svg, 12, 46, "note", legend());
        for (int i = 0; i < bars.size(); i++) {
            draw(svg, bars.get(i), TOP + i * ROW);
        }
        return svg.append("</svg>\n").toString();
    }

    private String legend() {
        return figure.title() + (figure.unit().isEmpty() ? "" : ", " + figure.unit())
                + (figure.isBetterWhenMore() ? ": more is better" : ": less is better")
                + "; bar: median, whisker: least to greatest round"
                + (isLogarithmic ? "; logarithmic scale" : "");
    }

    private void draw(StringBuilder svg, Bar bar, int top) {
        int middle = top + BAR / 2;
        text(svg, 12, middle + 5, "label", bar.label());
        if (bar.over().isEmpty()) {
            text(svg, LEFT, middle + 5, "note", bar.note());
            return;
        }
        Summary.Over over = bar.over().get();
        svg.append(String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>%n",
                bar.isOurs() ? "ours" : "peer",
                LEFT,
                top,
                Math.max(1, x(over.value()) - LEFT),
                BAR));
        svg.append(String.format(
                Locale.ROOT,
                "<path class=\"whisker\" d=\"M%.1f %dv8M%.1f %dH%.1fM%.1f %dv8\"/>%n",
                x(over.least()),
                middle - 4,
                x(over.least()),
                middle,
                x(over.most()),
                x(over.most()),
                middle - 4));
        String value = figure.text(over.value()) + (bar.note().isEmpty() ? "" : "; " + bar.note());
        text(svg, x(Math.max(over.value(), over.most())) + 8, middle + 5, "value", value);
    }

    private double x(double value) {
        double share = isLogarithmic ? Math.log(value / from) / Math.log(to / from) : value / to;
        return LEFT + Math.max(0, share) * BARS;
    }

    private static void text(StringBuilder svg, double x, int y, String kind, String text) {
        svg.append(String.format(
                Locale.ROOT, "<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>%n", kind, x, y, escaped(text)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
