package dev.holdfast.samples;

import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One process of the sample shop. */
final class ShopNode implements AutoCloseable {

    /** The shop on the newest Spring Boot that is supported. */
    static final String NEWEST = "shop";

    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final HttpClient client = HttpClient.newHttpClient();
    private final Path log;
    private final Process process;
    private int port;

    /**
     * Starts a node, and does not wait until it is ready.
     *
     * @param sample the folder of the sample
     * @param properties of the application
     */
    ShopNode(String sample, Map<String, String> properties) throws IOException {
        this(sample, Path.of("target").toAbsolutePath(), properties);
    }

    /** The same in this working directory. */
    ShopNode(String sample, Path directory, Map<String, String> properties) throws IOException {
        this(List.of("-jar", jar(sample).toString()), directory, properties);
    }

    /**
     * The same from another class path.
     *
     * @param program the last options of the JVM: the class path and what to run of it
     */
    ShopNode(List<String> program, Path directory, Map<String, String> properties) throws IOException {
        Path target = Path.of("target").toAbsolutePath();
        Path temporary = Files.createDirectories(target.resolve("tmp")); // a killed web server leaves its folders
        log = target.resolve("shop-" + NUMBER.incrementAndGet() + ".log");
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary));
        command.addAll(program);
        command.add("--server.port=0");
        properties.forEach((key, value) -> command.add("--" + key + "=" + value));
        process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(log.toFile()))
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    /** The application, whose manifest names its libraries. */
    static Path jar(String sample) {
        return Path.of("..", "..", "samples", sample, "target", "shop.jar")
                .toAbsolutePath()
                .normalize();
    }

    /** The names of the libraries of a sample, as its build resolved them. */
    static List<String> libraries(String sample) throws IOException {
        try (var files = Files.list(jar(sample).resolveSibling("lib"))) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** Waits until it serves requests. */
    ShopNode awaitReady() {
        Await.until("the shop serves requests", () -> {
            if (!process.isAlive()) {
                throw new AssertionError("the shop has ended: " + log());
            }
            Matcher found = PORT.matcher(log());
            boolean isReady = found.find() && log().contains("Started ShopApplication");
            if (isReady) {
                port = Integer.parseInt(found.group(1));
            }
            return isReady;
        });
        return this;
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** The body of the reply; fails unless that is 200. */
    String get(String path) throws IOException, InterruptedException {
        return ok("GET", path);
    }

    /** The body of the reply; fails unless that is 200. */
    String post(String path) throws IOException, InterruptedException {
        return ok("POST", path);
    }

    private String ok(String method, String path) throws IOException, InterruptedException {
        HttpResponse<String> response = send(method, path);
        if (response.statusCode() != 200) {
            throw new AssertionError(method + " " + path + ": " + response.statusCode() + " " + response.body()
                    + System.lineSeparator() + log());
        }
        return response.body();
    }

    HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, BodyPublishers.noBody())
                .timeout(Await.HANG)
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    /** Asks it to end, as an operator or Kubernetes does, and returns its exit status. */
    int stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(Await.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the shop does not end: " + log());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
