package dev.holdfast.lock.redis.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes, one lock; some of them are killed while they hold it or wait for it. */
class KilledProcessesTest {

    private static final int EACH = 100;

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void kill() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void theOthersExcludeEachOtherAndAreServedWhileSomeAreKilled() throws Exception {
        try (RedisServer server = RedisServer.own()) {
            List<Process> killed = new ArrayList<>();
            List<Process> finishing = new ArrayList<>();
            for (int each = 0; each < 2; each++) {
                finishing.add(contender(server, each, EACH));
                killed.add(contender(server, 10 + each, Integer.MAX_VALUE));
            }
            for (Process process : killed) {
                int more = lines().size() + 15;
                Awaiting.until("some progress", () -> {
                    assertThat(process.isAlive()).as("output: " + output()).isTrue();
                    return lines().size() >= more;
                });
                process.destroyForcibly().waitFor(); // SIGKILL
            }
            for (Process process : finishing) {
                assertThat(process.waitFor())
                        .as("exit status; its output is " + output())
                        .isZero();
            }
        }
        List<String> lines = lines();
        assertThat(lines).hasSizeGreaterThanOrEqualTo(2 * EACH);
        long last = 0;
        for (int at = 0; at < lines.size(); at++) {
            String[] words = lines.get(at).split(" ", 2);
            assertThat(words[0]).as("line " + at).isEqualTo(Integer.toString(at));
            assertThat(Long.parseLong(words[1])).as("token of line " + at).isGreaterThan(last);
            last = Long.parseLong(words[1]);
        }
    }

    private Process contender(RedisServer server, int number, int count) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Contender.class.getName(),
                        server.uri(),
                        numbers().toString(),
                        Integer.toString(count))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(outputOf(number).toFile()))
                .start();
        processes.add(process);
        return process;
    }

    private Path numbers() {
        return directory.resolve("numbers");
    }

    private Path outputOf(int number) {
        return directory.resolve("output-" + number);
    }

    private List<String> lines() throws IOException {
        return Files.exists(numbers()) ? Files.readAllLines(numbers()) : List.of();
    }

    private String output() throws IOException {
        StringBuilder all = new StringBuilder();
        for (int number : List.of(0, 1, 10, 11)) {
            if (Files.exists(outputOf(number))) {
                all.append(Files.readString(outputOf(number)));
            }
        }
        return all.toString();
    }
}
