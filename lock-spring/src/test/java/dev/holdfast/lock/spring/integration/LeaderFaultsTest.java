package dev.holdfast.lock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spring.stores.TestStore;
import dev.holdfast.lock.tck.BreakableConnection;
import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A leader that cannot reach the store, or is killed, is followed by another one, and never has one beside it. */
@Tag("second-build")
class LeaderFaultsTest {

    private static final String LEADS = "leads";

    private final Properties configuration = TestStore.REDIS.newNamespace();

    LeaderFaultsTest() {
        configuration.setProperty("lock.lease", "1s"); // its end is what is awaited
        configuration.remove("lock.call-timeout");
    }

    @Test
    void leader_whoseStoreIsOut_isRevokedAndFollowed() {
        History history = new History();
        try (BreakableConnection connection = ProxiedRedis.to(RedisServer.shared(), configuration);
                LeaderNode cutOff = new LeaderNode("cut-off", connection.configuration(), history)) {
            Await.until("it leads", cutOff::leads);
            try (LeaderNode other = new LeaderNode("other", configuration, history)) {
                connection.silence();
                Await.until("it is revoked", () -> {
                    cutOff.leads(); // as long as it does
                    return cutOff.isRevoked();
                });
                Await.until("the other leads", other::leads);
                assertThat(cutOff.isRevoked()).isTrue();

                connection.heal();
                other.stop();
                Await.until("it leads again", cutOff::leads);
            }
        }
        history.verify(3);
    }

    @Test
    void leader_thatIsKilled_isFollowedByAnotherProcess(@TempDir Path directory) throws Exception {
        History history = new History(directory);
        Path settings = directory.resolve("leader.properties");
        try (Writer writer = Files.newBufferedWriter(settings)) {
            configuration.store(writer, null);
        }
        Process killed = new ProcessBuilder(JavaCommand.of(
                        LeaderFaultsTest.class,
                        directory,
                        List.of(settings.toString(), history.fileOf("killed").toString())))
                .redirectError(directory.resolve("errors").toFile())
                .start();
        try (LeaderNode survivor = survivorOf(killed, history, directory)) {
            killed.destroyForcibly();

            Await.until("the survivor leads", survivor::leads);
        } finally {
            killed.destroyForcibly();
            killed.waitFor();
        }
        history.verify(2);
    }

    private LeaderNode survivorOf(Process leader, History history, Path directory) throws IOException {
        String line = leader.inputReader(StandardCharsets.UTF_8).readLine();
        assertThat(line).as(Files.readString(directory.resolve("errors"))).isEqualTo(LEADS);
        return new LeaderNode("survivor", configuration, history);
    }

    /** A leader in a process of its own. Arguments: the settings of the locks, the file for its claims. */
    @SuppressWarnings("SystemOut") // a pipe to the process that started this one
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(arguments[0]))) {
            settings.load(reader);
        }
        try (Claims claims = Claims.to(Path.of(arguments[1]));
                LeaderNode leader = new LeaderNode("killed", settings, claims)) {
            Await.until("it leads", leader::leads);
            System.out.println(LEADS);
            Thread recorder = new Thread(() -> record(leader));
            recorder.setDaemon(true);
            recorder.start();
            while (System.in.read() >= 0) {
                // until this process is killed, or the one that started it has ended
            }
        }
    }

    private static void record(LeaderNode leader) {
        while (true) {
            leader.leads();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }
}
