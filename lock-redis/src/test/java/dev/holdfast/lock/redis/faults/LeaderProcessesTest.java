package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.History;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Candidates in several processes; the leader is killed, and the next one resigns. */
@Tag("first-build")
class LeaderProcessesTest {

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void kill() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void candidates_whenTheLeaderIsKilled_leadOneAfterTheOther() throws Exception {
        History history = new History(directory);
        try (RedisServer server = RedisServer.own()) {
            start("killed", history, server);
            awaitLeadership("killed", history);
            Process heir = start("heir", history, server);

            processes.get(0).destroyForcibly().waitFor(); // SIGKILL
            awaitLeadership("heir", history);
            start("last", history, server);
            heir.outputWriter(StandardCharsets.UTF_8).close();
            awaitLeadership("last", history);
            assertThat(heir.waitFor()).isZero();
        }
        history.verify(3);
    }

    private Process start(String name, History history, RedisServer server) throws IOException {
        Map<String, String> settings =
                Map.of("lock.provider", "redis", "lock.redis.uri", server.uri(), "lock.lease", "5s");
        Process process = LeaderProcess.start(name, directory, history, settings);
        processes.add(process);
        assertThat(process.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo(LeaderProcess.CAMPAIGNS);
        return process;
    }

    private static void awaitLeadership(String name, History history) {
        Await.until(name + " leads", () -> !history.holdsOf(name).isEmpty());
    }
}
