package dev.holdfast.lock.bench.report;

import java.util.Locale;

/** A picture, as it is drawn: readable on a light page and on a dark one. */
final class Svg {

    private static final String STYLE = """
            <style>
              text { font: 13px system-ui, sans-serif; fill: #24292f; }
              .title { font-size: 15px; font-weight: 600; }
              .note { font-size: 12px; fill: #57606a; }
              .value { font-variant-numeric: tabular-nums; }
              @media (prefers-color-scheme: dark) {
                text { fill: #e6edf3; } .note { fill: #9da7b3; }
              }
            </style>
            """;

    private final StringBuilder text = new StringBuilder();

    /** @param style for what it draws beside texts */
    Svg(int width, int height, String title, String style) {
        add(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">",
                width,
                height,
                width,
                height));
        add(String.format(Locale.ROOT, "<title>%s</title>", escaped(title)));
        text.append(STYLE).append(style);
    }

    /** An element. */
    void add(String element) {
        text.append(element).append('\n');
    }

    /** Beginning here, unless its kind says otherwise. */
    void text(double x, int y, String kind, String words) {
        add(String.format(Locale.ROOT, "<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>", kind, x, y, escaped(words)));
    }

    String end() {
        return text + "</svg>\n";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
