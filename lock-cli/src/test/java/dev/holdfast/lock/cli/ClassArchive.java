package dev.holdfast.lock.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A class-data archive of {@code lock.jar}: these tests start about two hundred JVMs, and each starts a quarter faster. A JVM that
 * cannot use the archive ignores it.
 */
final class ClassArchive {

    /** Created once for all tests of this JVM. */
    static final Path FILE = create();

    private ClassArchive() {}

    /** Archives the classes that a run on the local store loads; its home is a folder beside the jar. */
    private static Path create() {
        try {
            Path home = Files.createDirectories(
                    Path.of(System.getProperty("lock.jar")).resolveSibling("class-archive"));
            Path file = home.resolve("lock.jsa");
            Files.deleteIfExists(file);
            List<String> words = new ArrayList<>(CliProcess.java(home, "-XX:ArchiveClassesAtExit=" + file));
            words.addAll(List.of("run", "--local", "a", "--", "true"));
            int status = new ProcessBuilder(words)
                    .redirectOutput(Redirect.DISCARD) // the classes that cannot be archived
                    .redirectError(Redirect.INHERIT)
                    .start()
                    .waitFor();
            if (status != 0 || !Files.exists(file)) {
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
