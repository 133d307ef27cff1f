package dev.holdfast.lock.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The temporary directory of all servers. A watcher process outlives this JVM by a moment, even if the JVM is killed: it ends the
 * servers and removes the directory.
 */
public final class Workspace implements AutoCloseable {

    private final Path directory;
    private final Process watcher;

    private Workspace(Path directory, Process watcher) {
        this.directory = directory;
        this.watcher = watcher;
    }

    public static Workspace open() throws IOException {
        Path directory = Files.createTempDirectory("holdfast-");
        try (InputStream script = Objects.requireNonNull(Workspace.class.getResourceAsStream("watcher.sh"))) {
            String text = new String(script.readAllBytes(), UTF_8);
            Process watcher = new ProcessBuilder("sh", "-c", text, directory.toString())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            return new Workspace(directory, watcher);
        }
    }

    /** Creates a directory in the workspace. */
    public Path newDirectory(String name) throws IOException {
        return Files.createDirectory(directory.resolve(name));
    }

    /** Starts a server in its directory. The watcher relies on the process id being on disk before the server runs. */
    Process start(Path server, List<String> command) throws IOException {
        Redirect log = Redirect.appendTo(server.resolve("log").toFile());
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "echo $$ > pid && exec \"$0\" \"$@\"");
        builder.command().addAll(command);
        return builder.directory(server.toFile())
                .redirectOutput(log)
                .redirectError(log)
                .start();
    }

    /** Ends all servers and waits until the directory is removed. */
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
