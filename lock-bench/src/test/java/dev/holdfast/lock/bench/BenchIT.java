package dev.holdfast.lock.bench;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Obedient;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The bench as a whole: what it writes, and that it leaves nothing else behind. */
@Tag("first-build")
@Timeout(value = 10, unit = TimeUnit.MINUTES) // a hang
class BenchIT {

    @TempDir
    private Path directory;

    private Path temporary;
    private Path out;
    private final List<String> options = new ArrayList<>();
    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void makeDirectories() throws IOException {
        temporary = Files.createDirectory(directory.resolve("tmp"));
        out = directory.resolve("out");
    }

    @AfterEach
    void killRemainingProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void bench_whenRun_writesTablesFiguresAndCharts() throws Exception {
        List<String> lines = measured("pair,lock-run");

        assertThat(lines)
                .anyMatch(line -> line.startsWith("- Redis 6.2") && line.contains("appendonly=no"))
                .anyMatch(line -> line.startsWith("- PostgreSQL 15") && line.contains("fsync=on"));
        JsonObject results = figures();
        JsonObject environment = results.getAsJsonObject("environment");
        assertThat(environment.get("seed").getAsLong()).isEqualTo(7);
        assertThat(environment.getAsJsonObject("libraries").keySet()).contains("jedis", "postgresql");
        assertThat(results.getAsJsonArray("turns")).hasSize(1).allSatisfy(BenchIT::isMeasured);
        assertThat(results.getAsJsonArray("observations"))
                .singleElement()
                .satisfies(observation -> assertThat(
                                observation.getAsJsonObject().get("missing").getAsString())
                        .isEqualTo("lock.jar does not exist; ./lock --help builds it"));
        assertThat(charts()).containsExactly("pair.svg");
        assertNothingIsLeft();
    }

    @Test
    @Tag("long")
    void bench_whenSeveralScenariosRun_writesATableAndAChartOfEach() throws Exception {
        List<String> lines = measured("pair,threads,handover,growth");

        assertThat(lines).contains("### 64 threads on 64 locks");
        JsonObject results = figures();
        assertThat(results.getAsJsonArray("turns")).hasSize(4).allSatisfy(BenchIT::isMeasured);
        assertThat(results.getAsJsonArray("observations"))
                .singleElement()
                .satisfies(
                        observation -> assertThat(observation.getAsJsonObject().getAsJsonArray("quantities"))
                                .isNotEmpty());
        assertThat(charts())
                .containsExactly("handover.svg", "pair.svg", "threads-64.svg", "threads-8.svg", "threads-redis.svg");
        assertNothingIsLeft();
    }

    private JsonObject figures() throws IOException {
        Path file = out.resolve("jdk-" + Runtime.version().feature() + ".json");
        return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    }

    /** Measures these scenarios once, and returns what the bench prints. */
    private List<String> measured(String scenarios) throws Exception {
        Process bench = bench(
                Redirect.DISCARD,
                "--quick",
                "--rounds",
                "1",
                "--only",
                "holdfast-redis",
                "--seed",
                "7",
                "--scenario",
                scenarios);
        try (BufferedReader said = bench.inputReader(StandardCharsets.UTF_8)) {
            List<String> lines = said.lines().toList();
            assertThat(bench.waitFor()).as(String.join("\n", lines)).isZero();
            return lines;
        }
    }

    @Test
    @Tag("long")
    void bench_whenInterrupted_leavesNoProcessAndNoFile() throws Exception {
        keepPostgres();
        Process bench = bench(
                Redirect.PIPE, "--quick", "--rounds", "100", "--only", "holdfast-redis", "--scenario", "handover");
        try (BufferedReader progress = bench.errorReader(StandardCharsets.UTF_8)) {
            String line = progress.readLine();
            while (line != null && !line.startsWith("round 1/100  handover  holdfast-redis")) {
                line = progress.readLine();
            }
            assertThat(processes()).hasSizeGreaterThan(2);

            assertThat(new ProcessBuilder("kill", "-INT", Long.toString(bench.pid()))
                            .start()
                            .waitFor())
                    .isZero();

            assertThat(progress.lines()).noneMatch(said -> said.startsWith("measured in"));
        }
        assertThat(bench.waitFor()).isEqualTo(130);
        assertNothingIsLeft();
    }

    @Test
    void bench_whenArgumentsAreWrong_saysWhatIsAllowed() throws Exception {
        Process bench = bench(Redirect.PIPE, "--only", "zookeeper");

        assertThat(bench.waitFor()).isEqualTo(2);
        try (BufferedReader said = bench.errorReader(StandardCharsets.UTF_8)) {
            assertThat(said.lines().filter(line -> !line.startsWith("NOTE: "))) // of the options in its environment
                    .first(as(STRING))
                    .startsWith("bench: unknown candidate: zookeeper; there are holdfast-redis, ");
        }
    }

    private static void isMeasured(JsonElement turn) {
        JsonObject figures = turn.getAsJsonObject().getAsJsonObject("figures");
        assertThat(figures.keySet()).as(turn.toString()).isNotEmpty();
        for (String figure : List.of("p50Micros", "pairsPerSecond", "totalMillis")) {
            if (figures.has(figure)) {
                assertThat(figures.get(figure).getAsDouble()).as(figure).isPositive();
            }
        }
    }

    private List<String> charts() throws IOException {
        try (Stream<Path> files = Files.list(out)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".svg"))
                    .sorted()
                    .toList();
        }
    }

    /** The candidates end with their input, which may be a moment later. */
    private void assertNothingIsLeft() throws Exception {
        assertThat(temporary).isEmptyDirectory();
        for (ProcessHandle process : processes()) {
            Await.result(process.onExit());
        }
    }

    /** Uses the binaries that another test has unpacked. That unpacked binaries are removed is shown by the other tests. */
    private void keepPostgres() {
        String kept = "holdfast.bench.postgresql";
        Stream.ofNullable(System.getProperty(kept)).forEach(place -> options.add("-D" + kept + "=" + place));
    }

    private Process bench(Redirect progress, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                "-Dholdfast.bench.out=" + out,
                "-Dholdfast.bench.jar=lock.jar",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(Bench.class.getName());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(Obedient.command(command)).redirectError(progress);
        // For the candidates: their speed does not matter here.
        builder.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
        Process bench = builder.start();
        started.add(bench);
        return bench;
    }

    /** Servers by what they run or read, candidates by their directory for temporary files. */
    private List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").contains(temporary + "/"))
                .toList();
    }
}
