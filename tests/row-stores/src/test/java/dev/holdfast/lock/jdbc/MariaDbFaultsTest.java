package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lost replies and a small pool, as MariaDB and MySQL have them. */
@Tag("second-build")
@Timeout(300)
class MariaDbFaultsTest {

    /** Not READ COMMITTED, which a further connection of the pool may set meanwhile. */
    private static final Pattern COMMIT = Pattern.compile("COMMIT(?!TED)");

    private static RowDatabase database;

    @BeforeAll
    static void makeDatabase() {
        database = MariaDbDatabase.of(MariaDbServer.shared());
        Opened.store(database.settings()).close(); // creates the tables
    }

    @Test
    void acquire_whenReplyToCommitIsLost_isGrantedOnceByRepetition() throws Exception {
        AtomicBoolean isArmed = new AtomicBoolean();
        FaultyProxy[] made = new FaultyProxy[1];
        made[0] = new FaultyProxy(database.address(), () -> (direction, bytes, length) -> {
            if (direction == Direction.TO_SERVER
                    && isArmed.get()
                    && COMMIT.matcher(new String(bytes, 0, length, StandardCharsets.ISO_8859_1))
                            .find()) {
                made[0].hold(Direction.TO_CLIENT);
            }
        });
        try (FaultyProxy proxy = made[0];
                LockStore store = Opened.store(database.settings("lock.jdbc.url", database.urlThrough(proxy.port())))) {
            AcquisitionId id = id();
            isArmed.set(true);
            CompletableFuture<List<LockReply>> call = CompletableFuture.supplyAsync(
                    () -> store.execute(List.of(acquire("in doubt", id)), Await.HANG), OwnThread.EACH);
            String committed = "SELECT count(*) FROM holdfast_lock WHERE name = 'in doubt' AND state = 'held'";
            Await.until("the grant is committed", () -> database.number(committed) == 1);
            isArmed.set(false);
            proxy.cut();
            assertThatThrownBy(call::join).hasCauseInstanceOf(LockUnavailableException.class);
            proxy.pass();
            long token = database.number("SELECT token FROM holdfast_lock WHERE name = 'in doubt'");
            assertThat(granted(store, acquire("in doubt", id)).token()).isEqualTo(token);
        }
    }

    @Test
    void acquire_whenThePoolIsExhausted_namesThePool() throws Exception {
        try (LockStore store = Opened.store(database.settings("lock.jdbc.pool-size", "2"))) {
            AcquisitionId id = id();
            granted(store, acquire("slow", id));
            List<CompletableFuture<LockReply>> slow = new ArrayList<>();
            try (LockedRow stranger = new LockedRow(database, "slow")) {
                for (int call = 0; call < 2; call++) {
                    slow.add(CompletableFuture.supplyAsync(() -> ask(store, acquire("slow", id)), OwnThread.EACH));
                }
                database.awaitBlocked("slow", 2);
                assertThatThrownBy(() -> store.execute(List.of(acquire("quick", id())), Duration.ofMillis(300)))
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("the pool of connections is exhausted: all 2 are in use")
                        .hasMessageContaining("lock.jdbc.pool-size");
                stranger.commit();
            }
            for (CompletableFuture<LockReply> call : slow) {
                assertThat(call.get()).isInstanceOf(LockReply.Granted.class);
            }
        }
    }
}
