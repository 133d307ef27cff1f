package dev.holdfast.lock.redis.testserver;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ServerFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import redis.embedded.core.ExecutableProvider;

/**
 * The directories of all servers of this JVM: one with the program, and one with a directory for each server with its process
 * id. A process that outlives the JVM by a moment, killed or not, ends the servers that are left and removes it all.
 */
final class ServerProcesses {

    /**
     * Reads from the JVM until it ends, and ignores signals to all processes of a terminal. A process id counts only while its
     * process runs a program of this directory, which a zombie does not.
     */
    private static final String WATCHER = """
            trap '' HUP INT TERM
            ours() {
              case $(ps -o args= -p "$1") in *"$0"*) true ;; *) false ;; esac
            }
            cat > /dev/null
            for file in "$1"/server-*/pid; do
              pid=$(cat "$file" 2> /dev/null) || continue
              while ours "$pid"; do
                kill -KILL "$pid"
                sleep 0.05
              done
            done
            rm -rf "$0" "$1"
            """;

    /** The system property that names the program of another version, or of Valkey. */
    private static final String PROGRAM = "lock.test.redis.program";

    static final ServerProcesses OF_THIS_JVM = new ServerProcesses();

    private final Path directory;
    private final Path servers;
    private final Path program;

    private ServerProcesses() {
        try {
            directory = Files.createTempDirectory("holdfast-redis-");
            servers = ServerFiles.newDirectory("holdfast-redis-");
            Process watcher = watch();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(watcher), "stop-redis"));
            program = copied(original());
        } catch (IOException e) {
            throw new IllegalStateException("cannot unpack Redis", e);
        }
    }

    /** That of the artifact, unless the property names another server or version. */
    private Path original() throws IOException {
        String named = System.getProperty(PROGRAM);
        return named != null
                ? Path.of(named)
                : ExecutableProvider.newJarResourceProvider(directory.toFile())
                        .get()
                        .toPath();
    }

    /**
     * Copied by another process: a file that this one writes may be open for writing in a child that another thread just started, and
     * then cannot be run.
     */
    private Path copied(Path original) throws IOException {
        Path copy = directory.resolve("redis-server");
        try {
            int status = new ProcessBuilder("cp", "-p", original.toString(), copy.toString())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new IOException("cp ended with status " + status);
            }
            return copy;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** With the program, and with the servers. */
    List<Path> directories() {
        return List.of(directory, servers);
    }

    /** The directory for a new server. */
    Path newServer() throws IOException {
        return Files.createTempDirectory(servers, "server-");
    }

    /**
     * Starts a server in its directory. The process id is on disk before the server runs, as the watcher requires: it finds
     * either the id, or no program is left to start.
     */
    Process start(Path server, List<String> arguments) throws IOException {
        Path log = server.resolve("log");
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-c", "echo $$ > pid && exec \"$0\" \"$@\"", program.toString());
        builder.command().addAll(arguments);
        return builder.directory(server.toFile())
                .redirectOutput(Redirect.appendTo(log.toFile()))
                .redirectError(Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Deletes a directory and all that is in it; a child of a killed server may still write there for a moment. */
    static void delete(Path directory) {
        Await.until(directory + " is deleted", () -> {
            try (Stream<Path> paths = Files.walk(directory)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
                return true;
            } catch (DirectoryNotEmptyException | NoSuchFileException | UncheckedIOException e) {
                return !Files.exists(directory);
            }
        });
    }

    private Process watch() throws IOException {
        return new ProcessBuilder("sh", "-c", WATCHER, directory.toString(), servers.toString())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
    }

    private static void end(Process watcher) {
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
