package dev.holdfast.lock.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Obedient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a whole: what it shows, and that it leaves nothing behind. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // a hang
class DemoIT {

    /** Longer than the default: it is renewed when two thirds are left, and a busy machine stalls. */
    private static final String AUTHORITY_LEASE = "9s";

    @TempDir
    private Path temporary;

    @TempDir
    private Path logs;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void killRemainingProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    @Tag("long")
    void demo_whenRedisFailsOver_showsTwoHoldersOfPlainRedisAndOneOfTheComposite() throws Exception {
        Process demo = demo(AUTHORITY_LEASE);
        List<String> lines;
        try (BufferedReader said = said(demo)) {
            lines = said.lines().toList();
        }

        assertThat(demo.waitFor())
                .as(String.join("\n", lines) + "\n" + Files.readString(logs.resolve("errors")))
                .isZero();
        assertThat(lines)
                .anyMatch(line -> line.startsWith("plain Redis: TWO HELD THE LOCK AT ONCE, for "))
                .contains(
                        "composite: never did two hold the lock at once",
                        "composite: ada kept its lock through the failover, and every token was greater than the one before");
        assertThat(lines).allMatch(line -> line.length() <= TimelineRecorder.WIDTH);
        assertThat(temporary).isEmptyDirectory();
        assertThat(processes()).isEmpty();
    }

    @Test
    @Tag("long")
    void demo_whenInterrupted_leavesNoProcessAndNoFile() throws Exception {
        Process demo = demo(AUTHORITY_LEASE);
        try (BufferedReader said = said(demo)) {
            String line = said.readLine();
            while (line != null && !line.contains("ada holds the lock")) {
                line = said.readLine();
            }
            assertThat(processes())
                    .as("%s; errors: %s", line, Files.readString(logs.resolve("errors")))
                    .hasSizeGreaterThan(6); // of eight, one of which it kills

            signal("INT", demo.pid());

            assertThat(demo.waitFor()).isEqualTo(130);
        }
        assertThat(temporary).isEmptyDirectory();
        for (ProcessHandle process : processes()) { // the workers end with their input
            Await.result(process.onExit());
        }
    }

    @Test
    void demo_whenAuthorityLeaseIsInvalid_printsItsUsage() throws Exception {
        Process demo = demo("soon");

        assertThat(demo.waitFor()).isEqualTo(64);
        try (BufferedReader said = said(demo)) {
            assertThat(said.readLine()).startsWith("usage: demo [AUTHORITY-LEASE]");
        }
    }

    private Process demo(String... arguments) throws IOException {
        List<String> command = JavaCommand.of(Demo.class, temporary, List.of(arguments));
        Process demo = new ProcessBuilder(Obedient.command(command))
                .redirectError(Redirect.to(logs.resolve("errors").toFile()))
                .start();
        started.add(demo);
        return demo;
    }

    /** Those that name the temporary directory: servers by what they run or read, workers by their configuration. */
    private List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").contains(temporary + "/"))
                .toList();
    }

    private static BufferedReader said(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void signal(String signal, long pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                        .start()
                        .waitFor())
                .isZero();
    }
}
