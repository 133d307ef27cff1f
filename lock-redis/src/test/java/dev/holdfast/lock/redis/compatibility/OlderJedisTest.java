package dev.holdfast.lock.redis.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.Cluster;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The versions of the client library that applications have beside us, which the build has put into a directory. */
@Tag("second-build")
class OlderJedisTest {

    private static final Path JARS = Path.of("target", "jedis");

    /** For a part of the kit, on a busy machine; only a process that hangs takes longer. */
    private static final long MINUTES = 15;

    @TempDir
    Path directory;

    @Test
    void store_onEachOlderJedis_works() throws Exception {
        List<Path> jars = jars();
        assertThat(jars).as("what the build has put into %s", JARS).hasSizeGreaterThanOrEqualTo(3);
        List<Process> processes = new ArrayList<>();
        try {
            for (Path jar : jars) {
                List<String> arguments = new ArrayList<>(List.of(
                        RedisServer.shared().uri(),
                        Sentinels.shared().uri(),
                        Cluster.shared().uri()));
                if (jar.equals(jars.get(0))) { // the oldest
                    arguments.add(directory.resolve("reports").toString());
                }
                processes.add(start(jar, arguments));
            }
            for (int at = 0; at < jars.size(); at++) {
                boolean ended = processes.get(at).waitFor(MINUTES, TimeUnit.MINUTES);
                String output = Files.readString(output(jars.get(at)));
                assertThat(ended).as(output).isTrue();
                assertThat(processes.get(at).exitValue()).as(output).isZero();
                assertThat(output)
                        .containsPattern(
                                OlderJedisProcess.FROM + ".*/" + jars.get(at).getFileName());
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private static List<Path> jars() throws IOException {
        try (Stream<Path> jars = Files.list(JARS)) {
            return jars.map(Path::toAbsolutePath).sorted().toList();
        }
    }

    private Path output(Path jar) {
        return directory.resolve(jar.getFileName() + ".txt");
    }

    private Process start(Path jar, List<String> arguments) throws IOException {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(each -> each.matches(".*[/\\\\]jedis-[0-9.]+\\.jar") ? jar.toString() : each)
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                OlderJedisProcess.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(output(jar).toFile()))
                .start();
    }
}
