package dev.holdfast.lock.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The classes of {@code lock.jar} as a JVM lays them out, so that the next one need not: these tests start some two hundred,
 * and each costs a quarter less. Where a JVM cannot use it, it does without.
 */
final class ClassArchive {

    /** Made once for all tests of this JVM. */
    static final Path FILE = made();

    private ClassArchive() {}

    /** Of what a run on the local store loads; its home is a folder beside the jar. */
    private static Path made() {
        try {
            Path home = Files.createDirectories(
                    Path.of(System.getProperty("lock.jar")).resolveSibling("class-archive"));
            Path file = home.resolve("lock.jsa");
            Files.deleteIfExists(file);
            List<String> words = new ArrayList<>(Launched.java(home, "-XX:ArchiveClassesAtExit=" + file));
            words.addAll(List.of("run", "--local", "a", "--", "true"));
            int status = new ProcessBuilder(words)
                    .redirectOutput(Redirect.DISCARD) // what cannot be archived
                    .redirectError(Redirect.INHERIT)
                    .start()
                    .waitFor();
            if (status != 0 || !Files.exists(file)) {
                throw new IllegalStateException("no archive was made: status " + status);
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
