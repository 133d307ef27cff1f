package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.Awaiting;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes, one file; some of them are killed in the middle of whatever they do. */
class SqliteProcessesTest {

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void kill() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void processesThatAllBeginWithAnEmptyFileExcludeEachOtherEvenAsSomeAreKilled() throws Exception {
        List<Process> killed = new ArrayList<>();
        List<Process> finishing = new ArrayList<>();
        for (int each = 0; each < 3; each++) {
            finishing.add(contender(each, 40));
            killed.add(contender(10 + each, 1_000_000));
        }
        for (int each = 0; each < killed.size(); each++) {
            int more = lines() + 15;
            Awaiting.until("some progress", () -> {
                assertThat(killed.get(0).isAlive() || more > 15)
                        .as("output: " + output())
                        .isTrue();
                return lines() >= more;
            });
            killed.get(each).destroyForcibly().waitFor(); // SIGKILL
        }
        for (Process process : finishing) {
            assertThat(process.waitFor())
                    .as("exit status; its output is " + output())
                    .isZero();
        }
        List<String> lines = Files.readAllLines(numbers());
        assertThat(lines).hasSizeGreaterThanOrEqualTo(3 * 40);
        List<String> late = late();
        long last = 0;
        for (int at = 0; at < lines.size(); at++) {
            if (late.contains(lines.get(at))) {
                continue;
            }
            String[] words = lines.get(at).split(" ", 2);
            if (at == 0 || !late.contains(lines.get(at - 1))) { // which came when this one had been counted
                assertThat(words[0]).as("line " + at).isEqualTo(Integer.toString(at));
            }
            assertThat(Long.parseLong(words[1])).as("token of line " + at).isGreaterThan(last);
            last = Long.parseLong(words[1]);
        }
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                var check = connection.createStatement().executeQuery("PRAGMA integrity_check")) {
            assertThat(check.getString(1)).isEqualTo("ok");
        }
    }

    private Process contender(int number, int count) throws IOException {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + directory, // what it leaves behind when it is killed goes with the test
                        "-cp",
                        System.getProperty("java.class.path"),
                        Contender.class.getName(),
                        "jdbc:sqlite:" + file(),
                        numbers().toString(),
                        Integer.toString(count))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(directory.resolve("output" + number).toFile()))
                .start();
        processes.add(process);
        return process;
    }

    private Path file() {
        return directory.resolve("locks.db");
    }

    private Path numbers() {
        return directory.resolve("numbers");
    }

    private int lines() throws IOException {
        return Files.exists(numbers()) ? Files.readAllLines(numbers()).size() : 0;
    }

    /** What a process wrote that had stood still until its lease was over. */
    private List<String> late() throws IOException {
        Path late = Path.of(numbers() + Contender.LATE);
        return Files.exists(late) ? Files.readAllLines(late) : List.of();
    }

    private String output() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> outputs = Files.list(directory)) {
            for (Path each :
                    outputs.filter(file -> file.toString().contains("output")).toList()) {
                all.append(Files.readString(each));
            }
        }
        return all.toString();
    }
}
