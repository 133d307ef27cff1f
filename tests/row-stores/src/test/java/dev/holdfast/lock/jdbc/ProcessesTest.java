package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.contract.ContenderProcess;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.History;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several processes on one database, some of which are killed. */
@Timeout(600)
@Order(1)
class ProcessesTest {

    private static final List<String> NAMES = List.of("one", "two");
    private static final int PROCESSES = 4;
    private static final int KILLED = 2;
    private static final int HOLDS = 20;

    @TempDir
    private Path directory;

    private final List<ContenderProcess> processes = new ArrayList<>();

    @AfterEach
    void kill() {
        processes.forEach(ContenderProcess::close);
    }

    @Test
    void processes_onAnEmptyFileOfSqlite_excludeEachOtherThoughSomeAreKilled() throws Exception {
        Path file = directory.resolve("locks.db");
        contend(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file));
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var check = connection.createStatement().executeQuery("PRAGMA integrity_check")) {
            assertThat(check.getString(1)).isEqualTo("ok");
        }
    }

    @Test
    void processes_onMariaDb_excludeEachOtherThoughSomeAreKilled() throws Exception {
        MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());
        Opened.store(database.settings()).close(); // makes the tables
        contend(database.settings());
    }

    private void contend(Map<String, String> database) throws Exception {
        long seed = System.nanoTime();
        History history = new History(directory);
        Map<String, String> settings = new HashMap<>(database);
        settings.put("lock.provider", "jdbc");
        // What a process held that was killed is granted again when its lease is over.
        settings.put("lock.lease", "2s");
        settings.put("lock.call-timeout", "600ms");
        for (int each = 0; each < PROCESSES; each++) {
            processes.add(ContenderProcess.start("process-" + each, directory, history, settings, NAMES, seed + each));
        }
        for (int each = 0; each < PROCESSES; each++) {
            processes.get(each).awaitReady();
        }
        for (int each = 0; each < KILLED; each++) {
            awaitMore(history, each);
            processes.get(each).process().destroyForcibly().waitFor(); // SIGKILL
        }
        for (int each = KILLED; each < PROCESSES; each++) {
            awaitMore(history, each);
        }
        for (ContenderProcess each : processes.subList(KILLED, PROCESSES)) {
            each.end();
        }
        assertThat(history.violations()).as("with seed " + seed).isEmpty();
        history.verify(PROCESSES * HOLDS);
    }

    /** This process and those to come have held locks some times more. */
    private void awaitMore(History history, int from) {
        for (int each = from; each < PROCESSES; each++) {
            String name = "process-" + each;
            int before = history.holdsOf(name).size();
            Await.until(name + " holds locks", () -> history.holdsOf(name).size() >= before + HOLDS);
        }
    }
}
