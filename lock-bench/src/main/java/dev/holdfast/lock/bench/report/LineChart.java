package dev.holdfast.lock.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A curve for each candidate: throughput by the number of threads. The scale of threads is logarithmic. */
final class LineChart {

    private static final int WIDTH = 860;
    private static final int HEIGHT = 380;
    private static final int LEFT = 84;
    private static final int RIGHT = 600;
    private static final int TOP = 70;
    private static final int BOTTOM = 320;
    private static final int LABEL_HEIGHT = 18;
    private static final int MAX_TICKS = 5;
    /** The dashes that distinguish the peers. */
    private static final List<String> DASHES = List.of("none", "8 4", "2 4", "10 3 2 3");

    private final String title;
    private final List<Curve> curves;
    private final double maxValue;
    private final int maxThreads;

    /** @param curves at least one */
    LineChart(String title, List<Curve> curves) {
        this.title = title;
        this.curves = curves;
        this.maxValue = points().mapToDouble(Point::value).max().orElse(1);
        this.maxThreads = points().mapToInt(Point::threads).max().orElse(1);
    }

    /** A number of threads and its throughput. */
    record Point(int threads, double value) {}

    /**
     * A candidate.
     *
     * @param points at least one, from few threads to many
     */
    record Curve(String label, boolean isOurs, List<Point> points) {
        private double lastValue() {
            return points.get(points.size() - 1).value();
        }
    }

    private Stream<Point> points() {
        return curves.stream().flatMap(curve -> curve.points().stream());
    }

    String svg() {
        Svg svg = new Svg(WIDTH, HEIGHT, title, "pairs/s: more is better; median of all rounds");
        double step = step();
        for (double tick = 0; tick <= maxValue; tick += step) {
            svg.add("<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y(tick), RIGHT);
            svg.text(LEFT - 8, y(tick) + 4, "note number", String.format(Locale.ROOT, "%,.0f", tick));
        }
        points().map(Point::threads)
                .distinct()
                .forEach(threads -> svg.text(x(threads), BOTTOM + 20, "note below", threads.toString()));
        svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 42, "note below", "threads, each with a lock of its own");
        draw(svg);
        return svg.end();
    }

    /** Draws the curves. The label of a curve is where the curve ends, or below the labels above it. */
    private void draw(Svg svg) {
        List<Curve> fromTop = new ArrayList<>(curves);
        fromTop.sort(Comparator.comparingDouble(Curve::lastValue).reversed());
        double free = TOP;
        for (Curve curve : fromTop) {
            String path = curve.points().stream()
                    .map(point -> String.format(Locale.ROOT, "%.1f %.1f", x(point.threads()), y(point.value())))
                    .collect(Collectors.joining("L", "M", ""));
            svg.add(
                    "<path class=\"%s\" stroke-dasharray=\"%s\" d=\"%s\"/>",
                    curve.isOurs() ? "curve is-ours" : "curve",
                    DASHES.get(curves.indexOf(curve) % DASHES.size()),
                    path);
            double label = Math.max(free, y(curve.lastValue()));
            svg.text(RIGHT + 10, label + 5, "label", curve.label());
            free = label + LABEL_HEIGHT;
        }
    }

    /** The distance of two ticks: one, two or five times a power of ten. */
    private double step() {
        double power = Math.pow(10, Math.floor(Math.log10(maxValue / MAX_TICKS)));
        return Stream.of(1, 2, 5, 10)
                .map(factor -> factor * power)
                .filter(step -> maxValue / step <= MAX_TICKS)
                .findFirst()
                .orElse(maxValue);
    }

    private double x(int threads) {
        return LEFT + (RIGHT - LEFT) * Math.log(threads) / Math.log(Math.max(2, maxThreads));
    }

    private double y(double value) {
        return BOTTOM - (BOTTOM - TOP) * value / maxValue;
    }
}
