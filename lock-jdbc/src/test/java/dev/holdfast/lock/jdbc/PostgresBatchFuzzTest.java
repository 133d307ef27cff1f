package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.lock.jdbc.server.PostgresClock;
import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Seeds;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random batches on PostgreSQL are replied to as the same commands one by one, leave the same rows, and notify the same waiters; the
 * memory store replies the same. Each condition under which commands are decided together is needed for that.
 */
@Tag("first-build")
class PostgresBatchFuzzTest {

    private static final int SEEDS = 4;
    private static final int BATCHES = 30;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration CALL = Duration.ofMinutes(1);

    private static Postgres database;
    private static Connection connection;
    private static PostgresClock clock;
    private static int namespaces;

    /** A condition in {@code holdfast_execute}, and the text without it. */
    enum Guard {
        ACQUIRE_FREE("AND l.state = 'free' AND l.id IS", "AND l.id IS"),
        ACQUIRE_NEW_ID("l.state = 'free' AND l.id IS DISTINCT FROM in_ids[c.command]", "l.state = 'free'"),
        ACQUIRE_WITHOUT_WAITERS("l.id IS DISTINCT FROM in_ids[c.command] AND l.waiter_count = 0", "true"),
        ACQUIRE_WITHOUT_TOMBSTONE(
                "AND t.expires_at > now_at) IS NULL", "AND t.expires_at > now_at) IS DISTINCT FROM false"),
        ACQUIRE_KNOWN_FLOOR("(l.token > 0 OR token_floor IS NOT NULL)", "true"),
        ACQUIRE_TOKEN_LEFT("token_floor) < 9007199254740991", "token_floor) < 9223372036854775807"),
        TOKEN_ABOVE_LAST("1 + greatest(l.token, in_token_floors", "greatest(l.token, in_token_floors"),
        TOKEN_ABOVE_COMMANDS_FLOOR("greatest(l.token, in_token_floors[c.command], CASE", "greatest(l.token, CASE"),
        TOKEN_ABOVE_PRUNED(", CASE WHEN l.token = 0 THEN token_floor END", ""),
        RENEW_LEASE("= 'renew'\n AND l.state = 'held'", "= 'renew'\n"),
        RENEW_BY_HOLDER(
                "AND l.state = 'held' AND l.id = in_ids[c.command] AND l.expires_at > now_at\n RETURNING",
                "AND l.state = 'held' AND l.expires_at > now_at\n RETURNING"),
        RENEW_IN_TIME(
                "AND l.id = in_ids[c.command] AND l.expires_at > now_at\n RETURNING",
                "AND l.id = in_ids[c.command]\n RETURNING"),
        RENEW_NEVER_SHORTENS(
                "greatest(l.expires_at, now_at + in_durations[c.command] * interval '1 microsecond')\n FROM",
                "now_at + in_durations[c.command] * interval '1 microsecond'\n FROM"),
        RELEASE_LEASE("= 'release'\n AND l.state = 'held' AND", "= 'release'\n AND"),
        RELEASE_BY_HOLDER(
                "l.id = in_ids[c.command] AND l.expires_at > now_at AND l.waiter_count = 0",
                "l.expires_at > now_at AND l.waiter_count = 0"),
        RELEASE_IN_TIME("AND l.expires_at > now_at AND l.waiter_count = 0", "AND l.waiter_count = 0"),
        RELEASE_WITHOUT_WAITERS("AND l.expires_at > now_at AND l.waiter_count = 0", "AND l.expires_at > now_at"),
        RELEASE_AFTER_MINIMUM_HOLD(
                "AND l.granted_at + in_durations[c.command] * interval '1 microsecond' <= now_at", ""),
        RELEASE_WITHOUT_TOMBSTONE("AND in_tombstones[c.command] = 0", ""),
        FIRST_OF_NAME("min(t.command)", "max(t.command)"),
        DURABLE("is_durable := cardinality(decided) > 0;", "");

        private final String with;
        private final String without;

        Guard(String with, String without) {
            this.with = with;
            this.without = without;
        }

        /** The definition of the function without the guard. */
        String drop(String definition) {
            assertThat(definition).containsOnlyOnce(with);
            return definition.replace(with, without);
        }
    }

    @BeforeAll
    static void open() throws SQLException {
        database = Postgres.withTables();
        clock = new PostgresClock(database.server(), database.url());
        connection = database.connect();
    }

    @AfterAll
    static void close() throws SQLException {
        clock.close();
        connection.close();
    }

    @Test
    void batches_ofAnySize_areDecidedAsCommandByCommand() throws SQLException {
        Seeds.runSome(SEEDS, seed -> new Story(seed).run());
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void batches_withoutGuard_areDecidedOtherwise(Guard guard) throws SQLException {
        String definition = database.value("SELECT pg_get_functiondef('holdfast_execute'::regproc)");
        String without = guard.drop(definition.replaceAll("\n +", "\n ")); // indentation does not count
        for (int seed = 0; seed < 100; seed++) {
            new Story(seed).run(); // what fails without the guard does so for that reason
            database.execute(without);
            try {
                if (isFound(seed)) {
                    return;
                }
            } finally {
                database.execute(definition);
            }
        }
        fail("a hundred stories without the guard %s found nothing", guard);
    }

    private static boolean isFound(long seed) throws SQLException {
        try {
            new Story(seed).run();
            return false;
        } catch (AssertionError e) {
            return true;
        }
    }

    /** One random sequence of batches. */
    private static final class Story {

        private static final LockName LAST_TOKENS = new LockName("last-tokens");
        private static final int NAMES = 8;
        private static final int IDS = 5;

        private final Random random;

        /**
         * Whether leases end by themselves, and ids ask again after their release: PostgreSQL remembers the last one for longer
         * than the memory store, which does not take part then.
         */
        private final boolean isLong;

        private final BatchCalls batches;
        private final BatchCalls singles;
        private final LockStore model;
        /** Of the name whose tokens end: a memory store that has dropped a name grants greater tokens of all others. */
        private final LockStore modelOfLastTokens;

        private final List<String> told = new ArrayList<>();
        private final int[][] retired = new int[NAMES][IDS];
        private Duration elapsed = Duration.ZERO;

        Story(long seed) throws SQLException {
            random = new Random(seed);
            isLong = seed % 2 != 0;
            String namespace = "n" + namespaces++;
            batches = new BatchCalls(connection, namespace + "_batches");
            singles = new BatchCalls(connection, namespace + "_singles");
            Instant start = clock.instant();
            model = new MemorySpace(() -> start.plus(elapsed)).open();
            modelOfLastTokens = new MemorySpace(() -> start.plus(elapsed)).open();
        }

        void run() throws SQLException {
            for (int at = 0; at < BATCHES; at++) {
                pass();
                List<LockCommand> commands = batch();
                told.add("after " + elapsed + ": " + commands);
                List<BatchCalls.Reply> replies = batches.execute(commands);
                compare(commands, replies);
                assertThat(batches.rows()).as("the rows after %s", story()).isEqualTo(singles.rows());
            }
        }

        private void pass() throws SQLException {
            Duration time =
                    Duration.ofMillis(List.of(0, 0, 1, 700, 2_000, 16_000).get(random.nextInt(6)));
            if (isLong && random.nextInt(10) == 0) {
                time = HOUR.multipliedBy(3);
            }
            elapsed = elapsed.plus(time);
            clock.step(time);
            if (random.nextInt(6) == 0) { // as if rows with greater tokens had been pruned
                raiseTokenFloor();
            }
        }

        private void raiseTokenFloor() throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("UPDATE holdfast_token_floor SET token = greatest(token,"
                        + " (SELECT max(token) + 1000000000 FROM holdfast_lock WHERE name <> 'last-tokens'))");
            }
        }

        private List<LockCommand> batch() {
            List<LockCommand> commands = new ArrayList<>();
            for (int left = 1 + random.nextInt(12); left > 0; left--) {
                commands.add(command());
            }
            return commands;
        }

        private LockCommand command() {
            int number = random.nextInt(NAMES);
            LockName name = number == 0 ? LAST_TOKENS : new LockName("lock-" + number);
            int slot = random.nextInt(IDS);
            AcquisitionId id = new AcquisitionId(number, slot + (long) IDS * retired[number][slot]);
            return switch (random.nextInt(12)) {
                case 0, 1, 2, 3, 4 ->
                    new LockCommand.Acquire(
                            name, id, length(), random.nextInt(3) == 0, floor(number), "owner of " + id);
                case 5, 6, 7, 8, 9 -> {
                    Duration tombstone = tombstone();
                    if (!isLong && tombstone.isZero()) {
                        retired[number][slot]++;
                    }
                    yield new LockCommand.Release(name, id, minimumHold(), tombstone);
                }
                default -> new LockCommand.Renew(name, id, length());
            };
        }

        private Duration length() {
            return HOUR.multipliedBy(1 + random.nextInt(4));
        }

        private long floor(int number) {
            if (number == 0) {
                return LockReply.Granted.MAX_TOKEN - random.nextInt(40);
            }
            return random.nextInt(4) == 0 ? 1_000_000 * clock.instant().getEpochSecond() + random.nextInt(9) : 0;
        }

        private Duration minimumHold() {
            return random.nextInt(6) == 0 ? HOUR.multipliedBy(2) : Duration.ZERO;
        }

        private Duration tombstone() {
            return random.nextInt(5) == 0 ? HOUR.multipliedBy(6) : Duration.ZERO;
        }

        private void compare(List<LockCommand> commands, List<BatchCalls.Reply> replies) throws SQLException {
            SortedSet<String> notifications = new TreeSet<>();
            Set<Boolean> durable = new HashSet<>();
            for (int at = 0; at < commands.size(); at++) {
                LockCommand command = commands.get(at);
                BatchCalls.Reply reply = replies.get(at);
                assertThat(reply)
                        .as("the reply to %s of %s", command, story())
                        .isEqualTo(singles.execute(List.of(command)).get(0));
                notifications.addAll(singles.notifications());
                durable.add(singles.wasDurable());
                if (!isLong) {
                    LockStore memory = command.name().equals(LAST_TOKENS) ? modelOfLastTokens : model;
                    LockReply byModel = memory.execute(List.of(command), CALL).get(0);
                    assertThat(kind(reply))
                            .as("the reply to %s of %s", command, story())
                            .isEqualTo(kind(byModel));
                }
            }
            assertThat(batches.notifications())
                    .as("the waiters notified by %s", story())
                    .isEqualTo(notifications);
            assertThat(batches.wasDurable())
                    .as("whether %s was durable", story())
                    .isEqualTo(durable.contains(true));
        }

        private static Object kind(BatchCalls.Reply reply) {
            return switch (reply.reply()) {
                case "granted" -> LockReply.Granted.class;
                case "queued" -> LockReply.Queued.class;
                case "busy" -> LockReply.Busy.class;
                case "gone" -> LockReply.Gone.class;
                case "released" -> new LockReply.Released(true);
                case "absent" -> new LockReply.Released(false);
                default -> LockReply.Unavailable.class;
            };
        }

        private static Object kind(LockReply reply) {
            return reply instanceof LockReply.Released ? reply : reply.getClass();
        }

        private String story() {
            return String.join("\n", told);
        }
    }
}
