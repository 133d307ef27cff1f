package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ServerFiles;
import dev.holdfast.lock.testing.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** A server from a Maven artifact, with a copy of the {@link Template}'s data; it is killed and frozen by its processes. */
final class EmbeddedServer implements PostgresServer {

    private final int port;
    private final Path data;
    private final Path log;
    private final List<String> command;
    private final CleanupProcess watcher;

    EmbeddedServer() {
        try {
            Path directory = ServerFiles.newDirectory("holdfast-postgres-");
            data = directory.resolve("data");
            log = directory.resolve("log");
            watcher = CleanupProcess.ofPostgres(directory, data);
            Template template = Template.get();
            template.copyTo(data);
            port = FreePort.find(); // last, as the template may take long and another could take the port meanwhile
            command = template.command(data, port);
        } catch (IOException | SQLException e) {
            throw new IllegalStateException("cannot start PostgreSQL", e);
        }
        start();
    }

    @Override
    public String username() {
        return Template.USERNAME;
    }

    @Override
    public String password() {
        return Template.PASSWORD;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public boolean canFail() {
        return true;
    }

    @Override
    public void kill() {
        ProcessHandle server = process();
        List<ProcessHandle> all =
                Stream.concat(Stream.of(server), server.descendants()).toList();
        Signals.send("QUIT", server);
        Await.until("the server has ended", () -> all.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Override
    public void start() {
        try {
            Process server = new ProcessBuilder(command)
                    .redirectOutput(Redirect.appendTo(log.toFile()))
                    .redirectError(Redirect.appendTo(log.toFile()))
                    .start();
            Await.until("the server says that it is ready", () -> {
                if (!server.isAlive()) {
                    throw new IllegalStateException("PostgreSQL has ended: " + log());
                }
                return isReady(server.pid());
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitAnswer();
    }

    /** It says so in its last line; asked too early, it would refuse one connection after the other. */
    private boolean isReady(long pid) throws IOException {
        if (Files.notExists(pidFile())) {
            return false;
        }
        List<String> lines = Files.readAllLines(pidFile());
        return lines.size() == 8
                && lines.get(0).equals(Long.toString(pid))
                && lines.get(7).startsWith("ready");
    }

    @Override
    public void freeze() {
        ProcessHandle server = process();
        Signals.send("STOP", server); // first, so that it makes no more of them
        Signals.send("STOP", server.descendants().toList());
    }

    @Override
    public void thaw() {
        ProcessHandle server = process();
        Signals.send("CONT", server.descendants().toList());
        Signals.send("CONT", server);
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

    private Path pidFile() {
        return data.resolve("postmaster.pid");
    }

    private ProcessHandle process() {
        try (Stream<String> lines = Files.lines(pidFile())) {
            return ProcessHandle.of(
                            Long.parseLong(lines.findFirst().orElseThrow().strip()))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
