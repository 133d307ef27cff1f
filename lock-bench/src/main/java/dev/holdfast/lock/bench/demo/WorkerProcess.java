package dev.holdfast.lock.bench.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A {@link Worker} in a JVM of its own, which ends when it is closed, or with this one. */
final class WorkerProcess implements AutoCloseable {

    private final Side side;
    private final String name;
    private final Story story;
    private final Process process;
    private volatile boolean closed;

    /** @param configuration a {@code lock.properties} */
    WorkerProcess(Side side, String name, Path configuration, Story story) throws IOException {
        this.side = side;
        this.name = name;
        this.story = story;
        // Ctrl-C is for the demo: a worker ends with its input.
        this.process = new ProcessBuilder(List.of(
                        "sh",
                        "-c",
                        "trap '' INT; exec \"$0\" \"$@\"",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xrs",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName(),
                        configuration.toString()))
                .redirectError(Redirect.INHERIT)
                .start();
        Thread listener = new Thread(this::listen, "hears " + name);
        listener.setDaemon(true);
        listener.start();
    }

    void asks() throws IOException {
        story.asks(side, name);
        order(Worker.TAKE);
    }

    /** It says that it uses the lock no more, and only when that was heard it gives it back. */
    void gives() throws IOException {
        order(Worker.STOP);
    }

    boolean isHolding() {
        return story.isHolding(side, name);
    }

    private void order(String order) throws IOException {
        process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    private void listen() {
        String end = "";
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                heard(line.split(" ", 4));
            }
        } catch (IOException e) {
            end = ": " + e.getMessage();
        }
        if (!closed) {
            story.fails(name + ", of the " + side.title() + ", has ended" + end);
        }
    }

    private void heard(String[] words) throws IOException {
        long at = Long.parseLong(words[0]);
        switch (words[1]) {
            case Worker.READY -> story.ready();
            case Worker.HELD -> story.holds(side, name, at, Long.parseLong(words[2]), words[3]);
            case Worker.LOST -> story.ends(side, name, at, true);
            case Worker.STOPPED -> {
                story.ends(side, name, at, false);
                order(Worker.RELEASE);
            }
            default -> story.fails(name + ", of the " + side.title() + ": " + String.join(" ", words));
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        process.destroyForcibly();
        process.onExit().join();
    }
}
