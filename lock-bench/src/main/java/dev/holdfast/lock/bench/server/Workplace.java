package dev.holdfast.lock.bench.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The directory of all servers, with one of its own for each. A process that outlives this JVM by a moment, killed or not, ends
 * the servers and removes the directory.
 */
public final class Workplace implements AutoCloseable {

    private static final String WATCHER = "watcher.sh";

    private final Path directory;
    private final Process watcher;

    private Workplace(Path directory, Process watcher) {
        this.directory = directory;
        this.watcher = watcher;
    }

    /** A new one. */
    public static Workplace open() throws IOException {
        Path directory = Files.createTempDirectory("holdfast-");
        try (InputStream script = Workplace.class.getResourceAsStream(WATCHER)) {
            if (script == null) {
                throw new IllegalStateException("no " + WATCHER + " on the class path");
            }
            String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            Process watcher = new ProcessBuilder("sh", "-c", text, directory.toString())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            return new Workplace(directory, watcher);
        }
    }

    /** A new directory in it. */
    public Path newDirectory(String name) throws IOException {
        return Files.createDirectory(directory.resolve(name));
    }

    /** Starts a server in its directory. Its process id is on disk before there is a server: the watcher relies on that. */
    Process start(Path server, List<String> command) throws IOException {
        Path log = server.resolve("log");
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "echo $$ > pid && exec \"$0\" \"$@\"");
        builder.command().addAll(command);
        return builder.directory(server.toFile())
                .redirectOutput(Redirect.appendTo(log.toFile()))
                .redirectError(Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Ends all servers, and waits until nothing is left. */
    @Override
    public void close() {
        try {
            watcher.getOutputStream().close();
            watcher.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
