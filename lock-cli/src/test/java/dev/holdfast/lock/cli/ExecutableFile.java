package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes a file to be executed. Another process writes it: a file that this JVM writes may be open for writing in a child that
 * another thread has just forked, and then cannot be executed.
 */
public final class ExecutableFile {

    private ExecutableFile() {}

    public static Path write(Path file, String text) throws IOException {
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
