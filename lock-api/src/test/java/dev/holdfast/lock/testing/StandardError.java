package dev.holdfast.lock.testing;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** Records the log on standard error, which is printed as well. */
public final class StandardError implements AutoCloseable {

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();

    private StandardError() {}

    public static StandardError listen() {
        StandardError listening = new StandardError();
        System.setErr(new PrintStream(listening.both(), true, StandardCharsets.UTF_8));
        return listening;
    }

    private OutputStream both() {
        return new OutputStream() {
            @Override
            public void write(int b) {
                before.write(b);
                heard.write(b);
            }
        };
    }

    /** The lines that are complete; another thread may be printing one more. */
    public Stream<String> lines() {
        String text = heard.toString(StandardCharsets.UTF_8);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines();
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
