package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A tool of this JDK, run to its end.
 *
 * @param output on standard output
 * @param error on standard error
 */
record JavaProcess(int status, String output, String error) {

    /** A hang, not a slow machine. */
    private static final long HANG_MINUTES = 5;

    /** Runs {@code java}, {@code javac} and the like in this directory, where it finds its configuration. */
    static JavaProcess run(Path directory, String tool, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(directory, tool, ".out");
        Path error = Files.createTempFile(directory, tool, ".err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(output.toFile())
                .redirectError(error.toFile());
        // With either, a JVM begins by saying on standard error that it has picked them up.
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        Process process = builder.start();
        try {
            assertThat(process.waitFor(HANG_MINUTES, TimeUnit.MINUTES))
                    .as(() -> "it ends: " + command)
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new JavaProcess(process.exitValue(), Files.readString(output), Files.readString(error));
    }
}
