package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A file that is to be run. Written by another process: what this one writes may be open for writing in a child that another
 * thread has just made, and then cannot be run.
 */
final class Executable {

    private Executable() {}

    static Path write(Path file, String text) throws IOException {
        Process writing = new ProcessBuilder("sh", "-c", "cat >\"$0\" && chmod +x \"$0\"", file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (OutputStream to = writing.getOutputStream()) {
            to.write(text.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(writing.onExit().join().exitValue()).isZero();
        return file;
    }
}
