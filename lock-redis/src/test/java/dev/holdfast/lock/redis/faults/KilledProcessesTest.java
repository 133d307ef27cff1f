package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.contract.ContenderProcess;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.History;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes, one lock; one of them is killed while it holds it or waits for it. */
class KilledProcessesTest {

    private static final int SOME = 20;

    @TempDir
    Path directory;

    private History history;

    private final List<ContenderProcess> processes = new ArrayList<>();

    @BeforeEach
    void begin() {
        history = new History(directory);
    }

    @AfterEach
    void kill() {
        processes.forEach(ContenderProcess::close);
    }

    @Test
    void processes_afterOneIsKilled_excludeAndAreServed() throws Exception {
        try (RedisServer server = RedisServer.own()) {
            for (String name : List.of("killed", "one", "other")) {
                processes.add(start(name, server));
            }
            for (ContenderProcess each : processes) {
                each.awaitReady();
            }
            awaitHolds();
            Await.until(
                    "each has held it",
                    () -> Stream.of("killed", "one", "other")
                            .noneMatch(each -> history.holdsOf(each).isEmpty()));
            processes.get(0).process().destroyForcibly().waitFor(); // SIGKILL
            awaitHolds();
            for (ContenderProcess each : processes.subList(1, 3)) {
                each.end();
            }
        }
        history.verify(2 * SOME);
        assertThat(List.of("one", "other"))
                .allSatisfy(each -> assertThat(history.holdsOf(each)).isNotEmpty());
    }

    /** A lease ends, too, if its holder is killed. */
    private ContenderProcess start(String name, RedisServer server) throws IOException {
        Map<String, String> settings = Map.of(
                "lock.provider", "redis",
                "lock.redis.uri", server.uri(),
                "lock.lease", "5s");
        return ContenderProcess.start(name, directory, history, settings, List.of("contended"), name.hashCode());
    }

    private void awaitHolds() {
        int before = history.count();
        Await.until("some holds more", () -> history.count() >= before + SOME);
    }
}
