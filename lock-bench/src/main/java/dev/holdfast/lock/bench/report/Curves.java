package dev.holdfast.lock.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A line for each candidate, from few threads to many, of medians, in SVG. Each step to the right is twice the one before. */
final class Curves {

    private static final int WIDTH = 860;
    private static final int HEIGHT = 380;
    private static final int LEFT = 84;
    private static final int RIGHT = 600;
    private static final int TOP = 70;
    private static final int BOTTOM = 320;
    private static final int LINE = 18;
    private static final int MOST_TICKS = 5;

    private static final String STYLE = """
            <style>
              .grid { stroke: #8c959f; stroke-opacity: .35; }
              .curve { fill: none; stroke: #57606a; stroke-width: 1.6; }
              .is-ours { stroke: #1a7f52; stroke-width: 3; }
              .number { text-anchor: end; } .below { text-anchor: middle; }
              @media (prefers-color-scheme: dark) {
                .curve { stroke: #9da7b3; } .is-ours { stroke: #3fb97f; }
              }
            </style>
            """;

    /** So that those that are not ours differ, too. */
    private static final List<String> DASHES = List.of("none", "8 4", "2 4", "10 3 2 3");

    private final String title;
    private final List<Curve> curves;
    private final double most;
    private final int mostThreads;

    /** @param curves at least one */
    Curves(String title, List<Curve> curves) {
        this.title = title;
        this.curves = curves;
        this.most = all(curves).mapToDouble(Point::value).max().orElse(1);
        this.mostThreads = all(curves).mapToInt(Point::threads).max().orElse(1);
    }

    /** How many a second, of so many threads. */
    record Point(int threads, double value) {}

    /**
     * A candidate.
     *
     * @param points at least one, from few threads to many
     */
    record Curve(String label, boolean isOurs, List<Point> points) {
        private Point last() {
            return points.get(points.size() - 1);
        }
    }

    private static Stream<Point> all(List<Curve> curves) {
        return curves.stream().flatMap(curve -> curve.points().stream());
    }

    String svg() {
        Svg svg = new Svg(WIDTH, HEIGHT, title, STYLE);
        svg.text(12, 24, "title", title);
        svg.text(12, 46, "note", "pairs/s: more is better; median of all rounds");
        double step = step();
        for (double tick = 0; tick <= most; tick += step) {
            svg.add(String.format(Locale.ROOT, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y(tick), RIGHT));
            svg.text(LEFT - 8, (int) y(tick) + 4, "note number", String.format(Locale.ROOT, "%,.0f", tick));
        }
        all(curves)
                .map(Point::threads)
                .distinct()
                .forEach(threads -> svg.text(x(threads), BOTTOM + 20, "note below", threads.toString()));
        svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 42, "note below", "threads, each with a lock of its own");
        draw(svg);
        return svg.end();
    }

    /** Each is named where it ends, or as far below as those above it leave room. */
    private void draw(Svg svg) {
        List<Curve> fromTop = new ArrayList<>(curves);
        fromTop.sort(Comparator.comparingDouble(curve -> y(curve.last().value())));
        double free = TOP;
        for (Curve curve : fromTop) {
            StringBuilder way = new StringBuilder();
            for (Point point : curve.points()) {
                way.append(String.format(
                        Locale.ROOT, "%s%.1f %.1f", way.isEmpty() ? "M" : "L", x(point.threads()), y(point.value())));
            }
            svg.add(String.format(
                    Locale.ROOT,
                    "<path class=\"%s\" stroke-dasharray=\"%s\" d=\"%s\"/>",
                    curve.isOurs() ? "curve is-ours" : "curve",
                    DASHES.get(curves.indexOf(curve) % DASHES.size()),
                    way));
            double label = Math.max(free, y(curve.last().value()));
            svg.text(RIGHT + 10, (int) label + 5, "label", curve.label());
            free = label + LINE;
        }
    }

    /** One, two or five times a power of ten. */
    private double step() {
        double power = Math.pow(10, Math.floor(Math.log10(most / MOST_TICKS)));
        return List.of(1, 2, 5, 10).stream()
                .mapToDouble(times -> times * power)
                .filter(step -> most / step <= MOST_TICKS)
                .findFirst()
                .orElse(most);
    }

    private double x(int threads) {
        return LEFT + (RIGHT - LEFT) * Math.log(threads) / Math.log(Math.max(2, mostThreads));
    }

    private double y(double value) {
        return BOTTOM - (BOTTOM - TOP) * value / most;
    }
}
