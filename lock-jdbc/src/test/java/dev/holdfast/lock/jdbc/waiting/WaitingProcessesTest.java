package dev.holdfast.lock.jdbc.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.Awaiting;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.QueueTimes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Four processes, each with 250 threads that want the same lock once. */
@Timeout(300)
class WaitingProcessesTest {

    private static final int PROCESSES = 4;
    private static final int EACH = 250;
    private static final int HANDOFF = 16;

    /** Who had the lock, and when. */
    private record Held(int process, int number, long from, long until, long token) {}

    private final List<Process> processes = new ArrayList<>();
    private final List<Writer> orders = new ArrayList<>();
    private final List<BufferedReader> said = new ArrayList<>();
    private Database database;
    private Duration longestStandstill = Duration.ZERO;

    @TempDir
    Path directory;

    @BeforeEach
    void makeDatabase() throws Exception {
        database = Database.on(PostgresServer.shared());
    }

    @AfterEach
    void endProcesses() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void eachProcessIsServedInItsTurn() throws Exception {
        start(database.settings());
        try (Locks locks = database.open();
                Lease before = locks.named("job").acquire()) {
            for (int number = 0; number < PROCESSES * EACH; number++) {
                order(number % PROCESSES, number);
            }
            Awaiting.until("all processes wait", () -> database.places() == PROCESSES);
            assertThat(before.isHeld()).isTrue();
        }
        List<Held> holds = results();

        expectNoOverlap(holds);
        Map<Long, List<Held>> turns = new LinkedHashMap<>();
        holds.forEach(held -> turns.computeIfAbsent(held.token() >> Byte.SIZE, token -> new ArrayList<>())
                .add(held));
        turns.values().forEach(turn -> {
            assertThat(turn).as("holders of one turn").hasSizeLessThanOrEqualTo(HANDOFF);
            assertThat(turn.stream().map(Held::process).distinct())
                    .as("processes of one turn")
                    .hasSize(1);
        });
        assumeThat(longestStandstill)
                .as("for how long a process stood still: beyond a reservation others have its turns")
                .isLessThan(QueueTimes.RESERVATION);
        expectNobodyToBePassedOver(
                turns.values().stream().map(turn -> turn.get(0).process()).toList());
    }

    /** Between two turns of a process each other one has one, or two if this one was too slow to take its own in time. */
    private static void expectNobodyToBePassedOver(List<Integer> turns) {
        Map<Integer, Integer> last = new HashMap<>();
        for (int at = 0; at < turns.size(); at++) {
            Integer before = last.put(turns.get(at), at);
            int others = at - (before == null ? 0 : before + 1);
            assertThat(others)
                    .as("turns of others before turn %d, in %s", at, turns)
                    .isLessThanOrEqualTo(2 * (PROCESSES - 1));
        }
        assertThat(last).hasSize(PROCESSES);
    }

    @Test
    void withoutHandOffsTheOrderIsThatOfArrivalAcrossProcesses() throws Exception {
        long released;
        Properties settings = database.settings("lock.handoff", "1");
        start(settings);
        try (Locks locks = database.open("lock.handoff", "1");
                Lease before = locks.named("job").acquire()) {
            for (int number = 0; number < PROCESSES * EACH; number++) {
                order(number * 7 % PROCESSES, number);
                int waiting = number + 1;
                long start = System.nanoTime();
                Awaiting.until("number " + number + " has its place", () -> database.places() == waiting);
                stoodStill(System.nanoTime() - start);
            }
            assertThat(before.isHeld()).isTrue();
            released = System.nanoTime();
        }
        List<Held> holds = results();

        expectNoOverlap(holds);
        assumeThat(longestPause(released, holds))
                .as("for how long the lock waited for its next holder: beyond a reservation a place may be lost")
                .isLessThan(QueueTimes.RESERVATION);
        assumeThat(longestStandstill)
                .as("for how long nobody could confirm its place, which may be lost then")
                .isLessThan(QueueTimes.TICKET.minus(QueueTimes.REFRESH));
        assertThat(holds.stream().map(Held::number))
                .containsExactlyElementsOf(
                        IntStream.range(0, PROCESSES * EACH).boxed().toList());
    }

    private static Duration longestPause(long released, List<Held> holds) {
        long longest = 0;
        long free = released;
        for (Held held : holds) {
            longest = Math.max(longest, held.from() - free);
            free = held.until();
        }
        return Duration.ofNanos(longest);
    }

    private void start(Properties settings) throws IOException {
        Path file = directory.resolve("lock.properties");
        try (Writer to = Files.newBufferedWriter(file)) {
            settings.store(to, null);
        }
        for (int i = 0; i < PROCESSES; i++) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            WaitersProcess.class.getName(),
                            file.toString())
                    .redirectError(directory.resolve("errors-" + i).toFile())
                    .start();
            processes.add(process);
            orders.add(process.outputWriter(StandardCharsets.UTF_8));
            said.add(new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }
        for (int i = 0; i < PROCESSES; i++) {
            assertThat(said.get(i).readLine())
                    .as(() -> "process said: " + errors())
                    .isEqualTo(WaitersProcess.READY);
        }
    }

    private void order(int process, int number) throws IOException {
        orders.get(process).write(number + "\n");
        orders.get(process).flush();
    }

    /** By token. */
    private List<Held> results() throws Exception {
        for (Writer to : orders) {
            to.close();
        }
        List<Held> holds = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            int process = i;
            said.get(i).lines().map(line -> line.split(" ")).forEach(parts -> {
                if (parts[0].equals(WaitersProcess.STOOD_STILL)) {
                    stoodStill(Long.parseLong(parts[1]));
                    return;
                }
                holds.add(new Held(
                        process,
                        Integer.parseInt(parts[0]),
                        Long.parseLong(parts[1]),
                        Long.parseLong(parts[2]),
                        Long.parseLong(parts[3])));
            });
            assertThat(processes.get(i).waitFor())
                    .as(() -> "errors: " + errors())
                    .isZero();
        }
        assertThat(holds).as(() -> "errors: " + errors()).hasSize(PROCESSES * EACH);
        holds.sort(Comparator.comparingLong(Held::token));
        return holds;
    }

    private void stoodStill(long nanos) {
        Duration time = Duration.ofNanos(nanos);
        longestStandstill = time.compareTo(longestStandstill) > 0 ? time : longestStandstill;
    }

    private String errors() {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < processes.size(); i++) {
            try {
                all.append(Files.readString(directory.resolve("errors-" + i)));
            } catch (IOException e) {
                all.append(e);
            }
        }
        return all.toString();
    }

    private static void expectNoOverlap(List<Held> holds) {
        for (int i = 1; i < holds.size(); i++) {
            assertThat(holds.get(i).from())
                    .as("%s after %s", holds.get(i), holds.get(i - 1))
                    .isGreaterThanOrEqualTo(holds.get(i - 1).until());
        }
        assertThat(holds.stream().map(Held::token)).doesNotHaveDuplicates();
    }
}
