package dev.holdfast.lock.cli.text;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/**
 * Takes a JSON document and writes as escapes what a terminal would obey. The document stays the same: such characters
 * stand in its strings only. So does whatever is beyond the basic plane, by its two halves.
 */
public final class EscapingWriter extends FilterWriter {

    /** @param to takes the document */
    public EscapingWriter(Writer to) {
        super(to);
    }

    @Override
    public void write(int unit) throws IOException {
        char c = (char) unit;
        if (c != '\n' && ForeignText.isUnsafe(c)) {
            out.write(ForeignText.escaped(String.valueOf(c)));
        } else {
            out.write(c);
        }
    }

    @Override
    public void write(char[] units, int from, int length) throws IOException {
        for (int i = from; i < from + length; i++) {
            write(units[i]);
        }
    }

    @Override
    public void write(String text, int from, int length) throws IOException {
        for (int i = from; i < from + length; i++) {
            write(text.charAt(i));
        }
    }
}
