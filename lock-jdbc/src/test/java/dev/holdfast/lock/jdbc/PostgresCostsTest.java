package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The round trips of a command on PostgreSQL, and what it does not wait for. */
@Tag("first-build")
class PostgresCostsTest extends ManyThreads {

    private static final int PAIRS = 50;

    @Test
    void command_onWarmConnection_takesOneRoundTrip() throws SQLException {
        try (PostgresProxy proxy = new PostgresProxy(database.server());
                LockStore store = Opened.store(
                        database.settings("lock.jdbc.url", proxy.url(database.url()), "lock.jdbc.pool-size", "1"))) {
            AcquisitionId warm = id();
            granted(store, acquire("warm", warm));
            ask(store, release("warm", warm)); // has rows pruned, once
            database.awaitPruned();
            // After a standstill of half a second the pool checks its connection, or makes another: more, and never
            // less.
            int least = Integer.MAX_VALUE;
            for (int round = 0; round < 3; round++) {
                least = Math.min(least, questions(store, proxy));
            }
            assertThat(least).as("questions for %d steps", 3 * PAIRS).isEqualTo(3 * PAIRS);
        }
    }

    private static int questions(LockStore store, PostgresProxy proxy) {
        int before = proxy.questions();
        for (int pair = 0; pair < PAIRS; pair++) {
            AcquisitionId id = id();
            granted(store, acquire("counted", id));
            granted(store, renew("counted", id, LEASE));
            assertThat(ask(store, release("counted", id))).isEqualTo(new LockReply.Released(true));
        }
        return proxy.questions() - before;
    }

    @Test
    void release_withThousandsOfDeadWaiters_removesThemInOneCall() throws SQLException {
        int dead = 20_000;
        database.stopClock(); // the living one stays alive
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId holder = id();
            AcquisitionId living = id();
            granted(store, acquire("crowded", holder));
            database.execute("INSERT INTO holdfast_waiter (namespace, name, position, id, owner, seen_at)"
                    + " SELECT namespace, name, position, gen_random_uuid(), '', granted_at - interval '1 minute'"
                    + " FROM holdfast_lock, generate_series(1, " + dead + ") AS position");
            database.execute("UPDATE holdfast_lock SET waiter_count = " + dead);
            waiting(store, queue("crowded", living));
            assertThat(ask(store, release("crowded", holder))).isEqualTo(new LockReply.Released(true));
            assertThat(database.value("SELECT count(*) FROM holdfast_waiter")).isEqualTo("1");
            assertThat(database.value("SELECT waiter_count FROM holdfast_lock")).isEqualTo("1");
            granted(store, queue("crowded", living));
        }
    }

    @Test
    void reply_whilePruningIsBlocked_doesNotWait() throws Exception {
        try (LockStore store = Opened.store(database.settings("lock.call-timeout", "5m", "lock.lease", "1h"));
                Connection stranger = database.connect()) {
            AcquisitionId id = id();
            granted(store, acquire("answered", id));
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("LOCK TABLE holdfast_tombstone"); // which only the pruning needs now
            Future<List<LockReply>> released =
                    threads.submit(() -> store.execute(List.of(release("answered", id)), Duration.ofMinutes(5)));
            assertThat(released.get(1, TimeUnit.MINUTES)).containsExactly(new LockReply.Released(true));
        }
    }
}
