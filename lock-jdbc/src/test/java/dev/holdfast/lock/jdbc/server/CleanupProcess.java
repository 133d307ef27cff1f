package dev.holdfast.lock.jdbc.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;

/**
 * A process that ends a server and removes its files. It outlives a killed JVM by a moment, even if signals go to all
 * processes of a terminal: it reads from the JVM until that has ended.
 */
final class CleanupProcess implements AutoCloseable {

    private final Process process;

    /** Of a PostgreSQL server with its data in a directory that is to be removed. */
    static CleanupProcess ofPostgres(Path directory, Path data) throws IOException {
        return new CleanupProcess(directory, data.resolve("postmaster.pid"), "-QUIT");
    }

    /** Of a server whose process id is in a file; it is killed, and the directory of its files removed. */
    static CleanupProcess killing(Path directory, Path pidFile) throws IOException {
        return new CleanupProcess(directory, pidFile, "-KILL");
    }

    private CleanupProcess(Path directory, Path pidFile, String signal) throws IOException {
        String script = """
                trap '' HUP INT TERM
                cat > /dev/null
                pid=$(head -n 1 "$1" 2> /dev/null) && {
                    pkill -CONT -P "$pid"
                    kill -CONT "$pid"
                    kill "$3" "$pid"
                    while kill -0 "$pid"; do sleep 0.1; done
                } 2> /dev/null
                rm -rf "$2"
                """;
        process = new ProcessBuilder("sh", "-c", script, "sh", pidFile.toString(), directory.toString(), signal)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            process.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
