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

    /** Of a server with its data in a directory that is to be removed. */
    CleanupProcess(Path directory, Path data) throws IOException {
        String script = """
                trap '' HUP INT TERM
                cat > /dev/null
                pid=$(head -n 1 "$1/postmaster.pid" 2> /dev/null) && {
                    pkill -CONT -P "$pid"
                    kill -CONT "$pid"
                    kill -QUIT "$pid"
                    while kill -0 "$pid"; do sleep 0.1; done
                } 2> /dev/null
                rm -rf "$2"
                """;
        process = new ProcessBuilder("sh", "-c", script, "sh", data.toString(), directory.toString())
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
