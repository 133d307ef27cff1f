package dev.holdfast.lock.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The {@link ClassArchive} of {@code lock.jar} for these tests, which start about two hundred JVMs. A JVM that cannot use it
 * ignores it.
 */
final class TestArchive {

    /** The options that make a JVM use it; created once for all tests of this JVM. */
    static final List<String> OPTIONS = ClassArchive.options(create());

    private TestArchive() {}

    /** As the first use of the launcher does; in a folder beside the jar. */
    private static Path create() {
        try {
            Path home = Files.createDirectories(
                    Path.of(System.getProperty("lock.jar")).resolveSibling("class-archive"));
            Path file = home.resolve("lock.jsa");
            Files.deleteIfExists(file);
            int status = new ProcessBuilder(CliProcess.java(home, List.of("-D" + ClassArchive.FILE + "=" + file)))
                    .redirectOutput(Redirect.INHERIT)
                    .redirectError(Redirect.DISCARD) // that no subcommand is named
                    .start()
                    .waitFor();
            if (status != ExitStatus.USAGE || Files.size(file) == 0) {
                throw new IllegalStateException("no archive was created: status " + status);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
