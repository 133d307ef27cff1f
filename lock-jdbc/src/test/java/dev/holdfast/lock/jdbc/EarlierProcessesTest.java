package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Steps.CALL;
import static dev.holdfast.lock.jdbc.Steps.LEASE;
import static dev.holdfast.lock.jdbc.Steps.acquire;
import static dev.holdfast.lock.jdbc.Steps.ask;
import static dev.holdfast.lock.jdbc.Steps.granted;
import static dev.holdfast.lock.jdbc.Steps.id;
import static dev.holdfast.lock.jdbc.Steps.queue;
import static dev.holdfast.lock.jdbc.Steps.release;
import static dev.holdfast.lock.jdbc.Steps.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** While an application is brought to this version, processes of the one before call the functions that they know. */
class EarlierProcessesTest {

    private static final int ROUNDS = 300;

    private final Postgres database = Postgres.database();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private volatile long tokens;

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void aLockIsOneForBothAndSoIsItsQueue() throws SQLException {
        try (LockStore store = Opened.store("mixed", database.settings());
                Connection earlier = database.connect()) {
            AcquisitionId one = id();
            AcquisitionId other = id();
            assertThat(before(earlier, "acquire", "a", one, 0)).isEqualTo("granted");
            waiting(store, queue("a", other));
            assertThat(before(earlier, "release", "a", one, 0)).isEqualTo("released");
            assertThat(before(earlier, "acquire", "a", id(), 0)).isEqualTo("busy");
            granted(store, queue("a", other));
            assertThat(before(earlier, "acquire", "a", id(), 0)).isEqualTo("busy");
            assertThat(ask(store, release("a", other))).isEqualTo(new Answer.Released(true));
            AcquisitionId givenUp = id();
            assertThat(before(earlier, "release", "a", givenUp, 60_000_000)).isEqualTo("absent");
            assertThat(ask(store, acquire("a", givenUp))).isEqualTo(new Answer.Gone());
            AcquisitionId givenUpHere = id();
            ask(store, release("a", givenUpHere, Duration.ZERO, LEASE));
            assertThat(before(earlier, "acquire", "a", givenUpHere, 0)).isEqualTo("gone");
        }
    }

    /** Who holds the lock is the only one to look at the last token, and to set it: it rises if there is never another. */
    @Test
    void tokensRiseWhoeverGrants() throws Exception {
        try (LockStore store = Opened.store("mixed", database.settings())) {
            List<Future<?>> all = new ArrayList<>();
            for (int worker = 0; worker < 3; worker++) {
                all.add(threads.submit(() -> {
                    try (Connection earlier = database.connect()) {
                        for (int round = 0; round < ROUNDS; round++) {
                            AcquisitionId id = id();
                            if (before(earlier, "acquire", "raced", id, 0).equals("granted")) {
                                rise(Long.parseLong(
                                        database.value("SELECT token FROM holdfast_lock WHERE name = 'raced'")));
                                assertThat(before(earlier, "release", "raced", id, 0))
                                        .isEqualTo("released");
                            }
                        }
                    }
                    return null;
                }));
                all.add(threads.submit(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        AcquisitionId id = id();
                        if (ask(store, acquire("raced", id)) instanceof Answer.Granted grant) {
                            rise(grant.token());
                            assertThat(store.apply(List.of(release("raced", id)), CALL))
                                    .containsExactly(new Answer.Released(true));
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        assertThat(tokens).isPositive();
    }

    private void rise(long token) {
        assertThat(token).isGreaterThan(tokens);
        tokens = token;
    }

    /** What a process of the version before asks, and the answer in the function's own words. */
    private static String before(Connection connection, String kind, String name, AcquisitionId id, long remember)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT answer FROM holdfast_apply_v1('mixed', 'channel', 10000, ARRAY[?], ARRAY[?], ARRAY[?::uuid],"
                        + " ARRAY[?]::bigint[], '{false}', '{0}', '{earlier}', ARRAY[?]::bigint[])")) {
            statement.setString(1, kind);
            statement.setString(2, name);
            statement.setObject(3, new UUID(id.high(), id.low()));
            statement.setLong(4, kind.equals("release") ? 0 : LEASE.toNanos() / 1_000);
            statement.setLong(5, remember);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
