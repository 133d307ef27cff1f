package dev.holdfast.lock.bench.report;

import java.util.Locale;

/** An SVG picture, readable on a light page and on a dark one. */
final class Svg {

    private static final String STYLE = """
            <style>
              text { font: 13px system-ui, sans-serif; fill: #24292f; }
              .title { font-size: 15px; font-weight: 600; } .note { font-size: 12px; fill: #57606a; }
              .value { font-variant-numeric: tabular-nums; } .number { text-anchor: end; } .below { text-anchor: middle; }
              .ours { fill: #1a7f52; } .peer { fill: #8c959f; }
              .whisker { stroke: #24292f; stroke-width: 1.2; fill: none; }
              .grid { stroke: #8c959f; stroke-opacity: .35; }
              .curve { fill: none; stroke: #57606a; stroke-width: 1.6; } .is-ours { stroke: #1a7f52; stroke-width: 3; }
              @media (prefers-color-scheme: dark) {
                text { fill: #e6edf3; } .note { fill: #9da7b3; } .whisker { stroke: #e6edf3; }
                .ours { fill: #3fb97f; } .peer { fill: #6e7681; }
                .curve { stroke: #9da7b3; } .is-ours { stroke: #3fb97f; }
              }
            </style>
            """;

    private final StringBuilder text = new StringBuilder();

    Svg(int width, int height, String title, String subtitle) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %1$d %2$d\" width=\"%1$d\" height=\"%2$d\" role=\"img\">",
                width, height);
        add("<title>%s</title>", escaped(title));
        text.append(STYLE);
        text(12, 24, "title", title);
        text(12, 46, "note", subtitle);
    }

    /** Adds an element. */
    void add(String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    /** Adds words that begin here, unless their class says otherwise. */
    void text(double x, double y, String cssClass, String words) {
        add("<text class=\"%s\" x=\"%.1f\" y=\"%.0f\">%s</text>", cssClass, x, y, escaped(words));
    }

    String end() {
        return text + "</svg>\n";
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
