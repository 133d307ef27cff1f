package dev.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The shop with the beans that Spring has computed at build time, as {@code spring-boot:process-aot} does, which runs the same
 * class of Boot. It is the first half of a native image, whose second half takes GraalVM.
 */
@Tag("long")
class AheadOfTimeTest {

    private static final String APPLICATION = "dev.holdfast.samples.shop.ShopApplication";

    @TempDir
    Path directory;

    @Test
    void shop_processedAheadOfTime_locksAndShowsIt() throws Exception {
        Path sources = directory.resolve("sources");
        Path resources = directory.resolve("resources");
        Path classes = directory.resolve("classes");
        String jar = ShopNode.jar(ShopNode.NEWEST).toString();
        process(jar, sources, resources, classes);
        compile(jar, sources, classes);
        assertThat(hints(resources))
                .contains("dev.holdfast.lock.redis.RedisLockProvider")
                .contains("META-INF/services/dev.holdfast.lock.spi.LockProvider")
                .contains("dev/holdfast/lock/redis/script/**");

        String classPath = String.join(File.pathSeparator, classes.toString(), resources.toString(), jar);
        List<String> program = List.of("-Dspring.aot.enabled=true", "-cp", classPath, APPLICATION);
        try (ShopNode node = new ShopNode(program, directory, Map.of()).awaitReady()) {
            assertThat(node.log()).contains("Starting AOT-processed ShopApplication");
            assertThat(node.post("/articles/chair/sales")).isEqualTo("true");
            assertThat(node.get("/articles/chair")).isEqualTo("99");
            String token = node.post("/holds/one");
            assertThat(node.get("/actuator/locks?prefix=one")).contains("\"fencingToken\":\"" + token + "\"");
            assertThat(node.get("/actuator/health/locks")).contains("\"status\":\"UP\"");
            Await.until(
                    "the grant is counted",
                    () -> node.send("GET", "/actuator/metrics/holdfast.lock.acquire?tag=lock:stock")
                            .body()
                            .contains("\"statistic\":\"COUNT\",\"value\":1.0"));
            node.stop();
        }
    }

    private void process(String jar, Path sources, Path resources, Path classes) throws Exception {
        Path log = directory.resolve("log");
        int status = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-XX:+UseSerialGC",
                        "-cp",
                        jar,
                        "org.springframework.boot.SpringApplicationAotProcessor",
                        APPLICATION,
                        sources.toString(),
                        resources.toString(),
                        classes.toString(),
                        "dev.holdfast.samples",
                        "shop")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        assertThat(status).as(() -> read(log)).isZero();
    }

    private static void compile(String jar, Path sources, Path classes) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("-cp", classes + File.pathSeparator + jar, "-d", classes.toString(), "-proc:none", "-nowarn"));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        }
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(status).isZero();
    }

    private static String hints(Path resources) throws IOException {
        try (Stream<Path> files = Files.walk(resources)) {
            return files.filter(file -> file.endsWith("reachability-metadata.json"))
                    .map(file -> read(file).replace("\\/", "/"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
