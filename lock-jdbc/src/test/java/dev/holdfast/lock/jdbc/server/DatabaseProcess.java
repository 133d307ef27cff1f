package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ServerFiles;
import dev.holdfast.lock.testing.Signals;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A MariaDB or MySQL as a process, with its files in a directory of its own. */
final class DatabaseProcess implements DatabaseInstance {

    private final int port;
    private final Path directory = ServerFiles.newDirectory("holdfast-mariadb-");
    private final Path log = directory.resolve("log");
    private final Path pidFile = directory.resolve("pid");
    private final DatabaseProgram program;
    private final List<String> options;
    private final CleanupProcess watcher;
    private volatile Process process;

    /** @param options more of them, for its command line */
    DatabaseProcess(DatabaseProgram program, List<String> options) throws IOException {
        this.program = program;
        this.options = options;
        watcher = CleanupProcess.killing(directory, pidFile);
        Files.createDirectory(directory.resolve("tmp"));
        program.makeData(directory, log);
        port = FreePort.find(); // last, as making the data directory may take long
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public void start() {
        try {
            List<String> all = new ArrayList<>(List.of(
                    "--bind-address=127.0.0.1",
                    "--port=" + port,
                    "--socket=" + directory.resolve("socket"),
                    "--skip-name-resolve",
                    "--max-connections=200"));
            all.addAll(options);
            process = new ProcessBuilder(program.command(directory, all))
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(Redirect.appendTo(log.toFile()))
                    .redirectError(Redirect.appendTo(log.toFile()))
                    .start();
            Files.writeString(pidFile, process.pid() + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void kill() {
        Process killed = process;
        killed.destroyForcibly();
        Await.until("the server has ended", () -> !killed.isAlive());
        try {
            Files.delete(pidFile); // another process may be given its id
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void freeze() {
        Signals.send("STOP", process.toHandle());
    }

    @Override
    public void thaw() {
        Signals.send("CONT", process.toHandle());
    }

    @Override
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        watcher.close();
    }
}
