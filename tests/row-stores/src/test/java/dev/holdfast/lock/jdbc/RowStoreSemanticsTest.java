package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.jdbc.server.SteppedClock;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.ListedLock;
import dev.holdfast.lock.testing.RandomHistory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link NotificationSemanticsTest}, and all that it extends, on a database in which a store keeps its rows. */
abstract class RowStoreSemanticsTest extends ShareSemanticsTest {

    private SteppedClock clock;
    private LockStore store;

    abstract RowDatabase database();

    abstract DatabaseType type();

    abstract Dialect dialect();

    @BeforeEach
    void open() throws SQLException {
        clock = new SteppedClock(connection());
        store = Opened.stepped(type(), dialect(), database().settings());
        for (String table : List.of("holdfast_lock", "holdfast_share", "holdfast_waiter", "holdfast_tombstone")) {
            database().execute("DELETE FROM " + table);
        }
        database().execute("UPDATE holdfast_token_floor SET token = 0");
    }

    /** One poll sees all of their turns. */
    @Test
    void releases_ofOneBatch_notifyTheFirstWaiterOfEachLock() throws Exception {
        ReceivedNotifications heard = new ReceivedNotifications();
        try (AutoCloseable subscription = store().subscribe(heard)) {
            assertThat(subscription).isNotNull();
            heard.awaitAny();
            Map<String, AcquisitionId> waiters = new LinkedHashMap<>();
            List<LockCommand> releases = new ArrayList<>();
            for (String name : List.of("one", "two", "three")) {
                AcquisitionId holder = id();
                granted(store(), acquire(name, holder));
                waiters.put(name, id());
                ask(store(), queue(name, waiters.get(name)));
                releases.add(release(name, holder));
            }
            assertThat(heard.all()).as("no turn").containsOnly(Notification.ANY);
            assertThat(store().execute(releases, Commands.CALL)).containsOnly(new LockReply.Released(true));
            waiters.forEach(heard::awaitTurn);
        }
    }

    @AfterEach
    void close() {
        store.close();
        clock.close();
    }

    @Override
    LockStore store() {
        return store;
    }

    @Override
    Connection connection() throws SQLException {
        return database().connect();
    }

    @Override
    String literal(String name) {
        return RowDatabase.literal(name);
    }

    @Override
    void pass(Duration time) {
        clock.step(time);
    }

    @Override
    Instant now() {
        return clock.instant();
    }

    @Override
    RandomHistory.Subject history() {
        return new RandomHistory.Subject() {
            @Override
            public List<LockReply> execute(List<LockCommand> commands) {
                return store.execute(commands, Commands.CALL);
            }

            @Override
            public void pass(Duration time) {
                clock.step(time);
            }

            @Override
            public Instant now() {
                return clock.instant();
            }

            @Override
            public Optional<ListedLock> listed(LockName name) {
                return RandomHistory.listedBy(store.list(name.value(), Commands.CALL), name);
            }

            /** The store polls. */
            @Override
            public Optional<Set<Notification>> notified() {
                return Optional.empty();
            }

            @Override
            public Duration refresh() {
                return Duration.ofSeconds(1);
            }
        };
    }

    @Override
    void age() throws SQLException {
        database().execute("UPDATE holdfast_lock SET expires_at = expires_at - 3600000000");
    }

    @Override
    void letPrune() {
        // a round follows each release
    }
}
