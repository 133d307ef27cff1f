package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Steps.CALL;
import static dev.holdfast.lock.jdbc.Steps.LEASE;
import static dev.holdfast.lock.jdbc.Steps.acquire;
import static dev.holdfast.lock.jdbc.Steps.ask;
import static dev.holdfast.lock.jdbc.Steps.granted;
import static dev.holdfast.lock.jdbc.Steps.id;
import static dev.holdfast.lock.jdbc.Steps.queue;
import static dev.holdfast.lock.jdbc.Steps.release;
import static dev.holdfast.lock.jdbc.Steps.renew;
import static dev.holdfast.lock.jdbc.Steps.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.server.PostgresClock;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is particular to PostgreSQL: races, round trips, and settings that are not ours to rely on. */
class PostgresTest {

    private static final int ROUNDS = 15 * Integer.getInteger("lock.test.scale", 1);

    private final Postgres database = Postgres.withTables();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void theFirstUseOfANameIsARaceWithOneWinnerAndNoErrorInTheServersLog() throws Exception {
        int racers = 16;
        int names = 20;
        CyclicBarrier start = new CyclicBarrier(racers);
        try (LockStore store = Opened.store(database.settings("lock.jdbc.pool-size", "16"))) {
            List<Callable<List<Answer>>> all = new ArrayList<>();
            for (int racer = 0; racer < racers; racer++) {
                all.add(() -> {
                    List<Answer> answers = new ArrayList<>();
                    for (int name = 0; name < names; name++) {
                        start.await();
                        answers.add(ask(store, acquire("race " + name, id())));
                    }
                    return answers;
                });
            }
            List<List<Answer>> answers = results(threads.invokeAll(all));
            for (int name = 0; name < names; name++) {
                int at = name;
                assertThat(answers.stream().map(each -> each.get(at)))
                        .filteredOn(Answer.Granted.class::isInstance)
                        .as("grants of race " + name)
                        .hasSize(1);
            }
            assertThat(answers.stream().flatMap(List::stream))
                    .allMatch(each -> each instanceof Answer.Granted || each instanceof Answer.Busy);
        }
        assertThat(database.log()).doesNotContain("ERROR", "FATAL");
    }

    @Test
    void aRowThatAStrangerKeepsLockedHarmsNoOtherStepOfItsBatch() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId free = id();
            AcquisitionId blocked = id();
            granted(store, acquire("free", free));
            granted(store, acquire("blocked", blocked));
            try (Connection stranger = database.connect()) {
                stranger.setAutoCommit(false);
                stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'blocked' FOR UPDATE");
                List<Answer> answers = store.apply(
                        List.of(renew("blocked", blocked, LEASE), renew("free", free, LEASE)), Duration.ofSeconds(12));
                assertThat(answers.get(0)).isInstanceOf(Answer.Unavailable.class);
                assertThat(answers.get(1)).isInstanceOf(Answer.Granted.class);
            }
        }
    }

    @Test
    void aStepIsOneRoundTripOnAWarmConnection() {
        try (PostgresProxy proxy = new PostgresProxy(database.server());
                LockStore store = Opened.store(
                        database.settings("lock.jdbc.url", proxy.url(database.url()), "lock.jdbc.pool-size", "1"))) {
            AcquisitionId warm = id();
            granted(store, acquire("warm", warm));
            ask(store, release("warm", warm)); // has rows pruned, once
            database.awaitPruned();
            int pairs = 50;
            int before = proxy.questions();
            int connectionsBefore = proxy.connections();
            for (int pair = 0; pair < pairs; pair++) {
                AcquisitionId id = id();
                granted(store, acquire("counted", id));
                granted(store, renew("counted", id, LEASE));
                assertThat(ask(store, release("counted", id))).isEqualTo(new Answer.Released(true));
            }
            assertThat(proxy.questions() - before)
                    .as("questions for %d steps", 3 * pairs)
                    .isEqualTo(3 * pairs);
            assertThat(proxy.connections()).isEqualTo(connectionsBefore);
        }
    }

    @Test
    void aRolesWeakDefaultsWeakenNothing() throws SQLException {
        String name = database.name();
        database.execute("CREATE ROLE weak_" + name + " LOGIN PASSWORD 'weak'");
        for (String setting : List.of(
                "default_transaction_isolation = 'repeatable read'",
                "default_transaction_read_only = on",
                "synchronous_commit = off")) {
            database.execute("ALTER ROLE weak_" + name + " SET " + setting);
        }
        // No more than the README says.
        database.execute(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_lock, holdfast_waiter, holdfast_released TO weak_"
                        + name);
        database.execute("GRANT SELECT, UPDATE ON holdfast_floor TO weak_" + name);
        try (LockStore store =
                Opened.store(database.settings("lock.jdbc.username", "weak_" + name, "lock.jdbc.password", "weak"))) {
            AcquisitionId id = id();
            granted(store, acquire("weak", id));
            granted(store, renew("weak", id, LEASE));
            assertThat(ask(store, release("weak", id))).isEqualTo(new Answer.Released(true));
        }
    }

    @Test
    void whatMustNotBeLostIsCommittedDurablyAndNothingElse() throws SQLException {
        long minute = 60_000_000;
        String free = "gen_random_uuid()";
        AcquisitionId id = id();
        String held = "'" + new UUID(id.high(), id.low()) + "'";
        try (LockStore store = Opened.store("modes", database.settings())) {
            granted(store, acquire("a", id));
        }
        assertThat(commitMode("off", "acquire", held, minute)).as("again").isEqualTo("on");
        assertThat(commitMode("off", "acquire", free, minute)).as("refused").isEqualTo("off");
        assertThat(commitMode("on", "wait", free, minute)).isEqualTo("off");
        assertThat(commitMode("local", "renew", held, minute)).isEqualTo("on");
        assertThat(commitMode("on", "renew", free, minute)).as("gone").isEqualTo("off");
        assertThat(commitMode("on", "release", held, 0)).isEqualTo("off");
        assertThat(commitMode("off", "release", held, minute))
                .as("with a minimum hold")
                .isEqualTo("on");
        assertThat(commitMode("off", "release", held, 1)).as("that is over").isEqualTo("off");
        assertThat(commitMode("remote_apply", "release,acquire", held, 0)).isEqualTo("remote_apply");
        assertThat(commitMode("off", "release,acquire", held, 0))
                .as("a grant among others")
                .isEqualTo("on");
    }

    /** What is set when the function's transaction comes to its end: of steps on the held lock a, and then the free b. */
    private String commitMode(String before, String kinds, String id, long micros) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET synchronous_commit = " + before);
            boolean queue = kinds.equals("wait");
            String upTo = "[1:" + kinds.split(",").length + "]";
            statement.execute("SELECT FROM holdfast_apply_v1('modes', 'channel', 1000, string_to_array('"
                    + (queue ? "acquire" : kinds) + "', ','), (ARRAY['a', 'b'])" + upTo + ", (ARRAY[" + id
                    + "::uuid, gen_random_uuid()])" + upTo + ", (ARRAY[" + micros + ", 1]::bigint[])" + upTo
                    + ", (ARRAY[" + queue + ", false])" + upTo + ", (ARRAY[0, 0]::bigint[])" + upTo
                    + ", (ARRAY['', ''])" + upTo + ", (ARRAY[0, 0]::bigint[])" + upTo + ")");
            try (var mode = statement.executeQuery("SHOW synchronous_commit")) {
                mode.next();
                return mode.getString(1);
            } finally {
                connection.rollback();
            }
        }
    }

    @Test
    void aRowThatIsLockedByAStrangerIsNoAnswerAndNeverBusy() throws SQLException {
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            AcquisitionId id = id();
            granted(store, acquire("locked", id));
            stranger.setAutoCommit(false);
            statement.execute("SELECT FROM holdfast_lock FOR UPDATE");
            assertThatThrownBy(() -> store.apply(List.of(renew("locked", id, LEASE)), Duration.ofMillis(300)))
                    .isInstanceOf(LockUnavailableException.class);
            stranger.rollback();
            granted(store, renew("locked", id, LEASE));
        }
    }

    @Test
    void aDoubtfulReleaseAndItsAcquireMeetAtTheRowWhicheverComesFirst() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            granted(store, acquire("meeting", id(), Duration.ofMillis(1)));
            for (int round = 0; round < ROUNDS; round++) {
                AcquisitionId id = id();
                stranger.setAutoCommit(false);
                statement.execute("SELECT FROM holdfast_lock WHERE name = 'meeting' FOR UPDATE");
                Future<Answer> acquire = threads.submit(() -> ask(store, acquire("meeting", id)));
                Future<Answer> release = threads.submit(() -> ask(store, release("meeting", id, Duration.ZERO, LEASE)));
                Await.until("both wait for the row", () -> waitingForRow() == 2);
                stranger.rollback();
                assertThat(List.of(acquire.get().getClass(), release.get()))
                        .isIn(
                                List.of(Answer.Granted.class, new Answer.Released(true)),
                                List.of(Answer.Gone.class, new Answer.Released(false)));
                assertThat(ask(store, acquire("meeting", id))).isEqualTo(new Answer.Gone());
            }
        }
    }

    @Test
    void aDoubtfulReleaseOfAnUnknownNameMeetsAnAcquireThatIsNotYetCommitted() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection slow = database.connect();
                Statement statement = slow.createStatement()) {
            slow.setAutoCommit(false);
            AcquisitionId id = id();
            String uuid = new UUID(id.high(), id.low()).toString();
            statement.execute(
                    "SELECT FROM holdfast_apply_v1('test', 'channel', 1000, ARRAY['acquire'], ARRAY['unknown'],"
                            + " ARRAY['" + uuid
                            + "'::uuid], ARRAY[30000000]::bigint[], ARRAY[false], ARRAY[0]::bigint[],"
                            + " ARRAY[''], ARRAY[0]::bigint[])");
            Future<Answer> release = threads.submit(() -> ask(store, release("unknown", id, Duration.ZERO, LEASE)));
            Await.until("the release waits for the row", () -> waitingForRow() == 1);
            slow.commit();
            assertThat(release.get()).isEqualTo(new Answer.Released(true));
            granted(store, acquire("unknown", id()));
        }
    }

    @Test
    void tokensRiseWhilePrunersAndAcquirersRaceForTheSameNames() throws Exception {
        int workers = 6;
        int rounds = 100;
        try (LockStore store = Opened.store(database.settings())) {
            List<Callable<Void>> all = new ArrayList<>();
            boolean[] done = new boolean[1];
            Future<Integer> pruner = threads.submit(() -> {
                int removed = 0;
                try (Connection connection = database.connect();
                        Statement statement = connection.createStatement()) {
                    while (!Thread.currentThread().isInterrupted() && !done[0]) {
                        try (var row = statement.executeQuery("SELECT removed FROM holdfast_prune_v1(0, 0, 500)")) {
                            row.next();
                            removed += row.getInt(1);
                        }
                    }
                }
                return removed;
            });
            // Tokens far ahead of the clock, so that only row and floor can make them rise.
            AcquisitionId first = id();
            long[] last = {
                granted(store, Steps.acquireAbove("pruned", first, 5_000_000_000_000_000L))
                        .token()
            };
            ask(store, release("pruned", first));
            for (int worker = 0; worker < workers; worker++) {
                all.add(() -> {
                    for (int round = 0; round < rounds; round++) {
                        AcquisitionId id = id();
                        if (ask(store, acquire("pruned", id)) instanceof Answer.Granted grant) {
                            assertThat(grant.token()).isGreaterThan(last[0]); // only the holder reads and writes it
                            last[0] = grant.token();
                            ask(store, release("pruned", id));
                        }
                    }
                    return null;
                });
            }
            results(threads.invokeAll(all));
            done[0] = true;
            assertThat(pruner.get()).as("rows that were removed meanwhile").isPositive();
            assertThat(last[0]).isGreaterThan(5_000_000_000_000_001L);
        }
    }

    @Test
    void batchesOfTheSameNamesInAnyOrderNeverDeadlock() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            List<Callable<Void>> all = new ArrayList<>();
            for (int worker = 0; worker < 8; worker++) {
                boolean forth = worker % 2 == 0;
                all.add(() -> {
                    for (int round = 0; round < 15; round++) {
                        List<dev.holdfast.lock.spi.Step> steps = new ArrayList<>();
                        for (int at = 0; at < 20; at++) {
                            int name = forth ? at : 19 - at;
                            steps.add(acquire("batch " + name, id(), Duration.ofMillis(1)));
                        }
                        store.apply(steps, CALL);
                    }
                    return null;
                });
            }
            results(threads.invokeAll(all));
        }
        assertThat(database.log()).doesNotContain("deadlock");
    }

    @Test
    void noWaiterIsStrandedWhileOthersComeAndLeave() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            new PostgresClock(database.server(), database.url());
            new Crowd(store).comeAndLeave(60);
        }
        assertThat(database.value("SELECT count(*) FROM holdfast_waiter")).isEqualTo("0");
        assertThat(database.value(
                        "SELECT waiters || ' ' || state FROM holdfast_lock WHERE name = '" + Crowd.LOCK + "'"))
                .isEqualTo("0 free");
    }

    @Test
    void thousandsOfDeadWaitersHoldUpNoRelease() throws SQLException {
        int dead = 20_000;
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId holder = id();
            AcquisitionId living = id();
            granted(store, acquire("crowded", holder));
            database.execute("INSERT INTO holdfast_waiter (namespace, name, place, id, owner, seen)"
                    + " SELECT namespace, name, place, gen_random_uuid(), '', since - interval '1 minute'"
                    + " FROM holdfast_lock, generate_series(1, " + dead + ") place");
            database.execute("UPDATE holdfast_lock SET waiters = " + dead);
            waiting(store, queue("crowded", living));
            assertThat(ask(store, release("crowded", holder))).isEqualTo(new Answer.Released(true));
            assertThat(database.value("SELECT count(*) FROM holdfast_waiter")).isEqualTo("1");
            assertThat(database.value("SELECT waiters FROM holdfast_lock")).isEqualTo("1");
            granted(store, queue("crowded", living));
        }
    }

    @Test
    void anAnswerDoesNotWaitForThePruning() throws Exception {
        try (LockStore store = Opened.store(database.settings("lock.call-timeout", "5m", "lock.lease", "1h"));
                Connection stranger = database.connect()) {
            AcquisitionId id = id();
            granted(store, acquire("answered", id));
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("LOCK TABLE holdfast_released"); // which only the pruning needs now
            Future<List<Answer>> released =
                    threads.submit(() -> store.apply(List.of(release("answered", id)), Duration.ofMinutes(5)));
            assertThat(released.get(1, TimeUnit.MINUTES)).containsExactly(new Answer.Released(true));
        }
    }

    private int waitingForRow() throws SQLException {
        return Integer.parseInt(
                database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND wait_event_type = 'Lock' AND state = 'active'"));
    }

    private static <T> List<T> results(List<Future<T>> futures) throws Exception {
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            results.add(future.get());
        }
        return results;
    }
}
