package dev.holdfast.lock.cli.text;

import java.util.ArrayList;
import java.util.List;

/** Running text in lines. */
public final class Paragraph {

    private Paragraph() {}

    /**
     * Breaks a text between its words.
     *
     * @param width how wide a line is at most, unless a word alone is wider
     */
    public static List<String> lines(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.strip().split("\\s+", -1)) {
            if (!line.isEmpty() && Width.of(line.toString()) + 1 + Width.of(word) > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
