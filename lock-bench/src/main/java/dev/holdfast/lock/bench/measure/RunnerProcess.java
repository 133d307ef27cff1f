package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Candidate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Runner} in a JVM of its own, which ends when it is closed, or with this one. */
final class RunnerProcess implements AutoCloseable {

    /** How each of them is started. The collector is one that needs no threads of its own, as there are many of them. */
    static final List<String> OPTIONS = List.of("-XX:+UseSerialGC", "-Xmx512m");

    private static final String ENDED = "Ended";

    private final Path log;
    private final Process process;
    private final Writer to;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    /** @param log for what it says beside its answers */
    RunnerProcess(Candidate candidate, Path log) throws IOException {
        this.log = log;
        // Ctrl-C is for the bench: a runner ends with its input.
        ProcessBuilder builder = new ProcessBuilder(
                "sh",
                "-c",
                "trap '' INT; exec \"$0\" \"$@\"",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xrs");
        builder.command().addAll(OPTIONS);
        builder.command()
                .addAll(List.of( // which is removed in the end:
                        "-Djava.io.tmpdir=" + log.getParent(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Runner.class.getName(),
                        candidate.id()));
        this.process = builder.redirectError(Redirect.appendTo(log.toFile())).start();
        this.to = process.outputWriter(StandardCharsets.UTF_8);
        Thread listener = new Thread(this::listen, "hears " + candidate.id());
        listener.setDaemon(true);
        listener.start();
    }

    void tell(Order order) throws IOException {
        tell(Line.of(order));
    }

    /** Opens the gate. */
    void go() throws IOException {
        tell(Line.GO);
    }

    /** Waits for an answer of this kind. */
    <A extends Answer> A await(Class<A> kind, Limit limit) throws Exception {
        @Nullable String line = said.poll(limit.left(), TimeUnit.NANOSECONDS);
        if (line == null) {
            throw limit.passed();
        } else if (line.equals(ENDED)) {
            throw new IllegalStateException("its process has ended: " + Files.readString(log));
        }
        Answer answer = Line.answer(line);
        if (answer instanceof Answer.Failed failed) {
            throw new IllegalStateException(failed.why());
        }
        return kind.cast(answer);
    }

    private void tell(String line) throws IOException {
        to.write(line + "\n");
        to.flush();
    }

    private void listen() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(said::add);
        } catch (IOException e) {
            said.add(new Answer.Failed(e.toString()).toString());
        } finally {
            said.add(ENDED);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
