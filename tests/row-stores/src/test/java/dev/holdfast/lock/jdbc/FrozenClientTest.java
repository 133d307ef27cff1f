package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.contract.ContenderProcess;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.History;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that is stopped within a transaction, with the row of a lock locked, and whose connection stays. */
@Tag("second-build")
@Timeout(600)
class FrozenClientTest {

    @TempDir
    private Path directory;

    /** Where the client sends several statements at once, and where its URL forbids that. */
    @ParameterizedTest
    @ValueSource(strings = {"", "?allowMultiQueries=false"})
    void lock_whoseClientIsStoppedWithinATransaction_isGrantedToOthers(String parameters) throws Exception {
        MariaDbDatabase database = MariaDbDatabase.of(MariaDbServer.shared());
        Map<String, String> settings = database.settings(
                "lock.provider", "jdbc", "lock.namespace", "test", "lock.lease", "9s", "lock.call-timeout", "3s");
        try (LockStore store = Opened.store(database.settings());
                FaultyProxy proxy = new FaultyProxy(database.address())) {
            // It is within a transaction most of the time.
            proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(100));
            Map<String, String> delayed = new HashMap<>(settings);
            delayed.put("lock.jdbc.url", database.urlThrough(proxy.port()) + parameters);
            try (ContenderProcess client = ContenderProcess.start(
                    "stopped", directory, new History(directory), delayed, List.of("frozen"), System.nanoTime())) {
                client.awaitReady();
                Await.until("the client is stopped within a transaction", () -> {
                    client.signal("STOP");
                    database.execute("DO SLEEP(0.3)");
                    if (LockedRow.isLocked(database, "frozen")) {
                        return true;
                    }
                    client.signal("CONT");
                    return false;
                });
                AcquisitionId id = id();
                Await.until(
                        "the lock is granted to another",
                        () -> ask(store, acquire("frozen", id)) instanceof LockReply.Granted);
                assertThat(client.process().isAlive()).isTrue();
            }
        }
    }
}
