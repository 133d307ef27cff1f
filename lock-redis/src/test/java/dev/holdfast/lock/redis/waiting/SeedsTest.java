package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.Commands;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A hundred threads, once each, one lock: Holdfast beside the locks that it replaces, in one run. Beside the row lock it is
 * what the servers are asked that is compared, and not the time, as a busy machine can turn that round.
 */
@Timeout(300)
class SeedsTest {

    private static final int THREADS = 100;
    private static final int ROWS = 1_000;
    private static final int SLEEP_MILLIS = 50;
    private static final int ROUNDS = 3;

    /** Half of that after which nobody goes on asking. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.own();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void theyAreServedSoonerThanBySleeping() throws Exception {
        Pulse.steadily(SILENCE, SeedsTest::expectToBeServedSooner);
    }

    private static void expectToBeServedSooner(Pulse pulse) throws Exception {
        pulse.feel(new ServerHeart(redis));
        double holdfast = Double.MAX_VALUE;
        double sleeping = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            holdfast = Math.min(holdfast, race(Contestant.Kind.holdfast(redis)).total());
            sleeping = Math.min(
                    sleeping,
                    race(Contestant.Kind.sleeping(SLEEP_MILLIS, redis)).total());
        }

        assertThat(holdfast).as("ms, the best of %d rounds", ROUNDS).isLessThan(sleeping);
    }

    @Test
    void theyCostLessThanOneCommandEachAndTheOthersTwoAtLeast() throws Exception {
        Pulse.steadily(SILENCE, SeedsTest::expectToCostLess);
    }

    private static void expectToCostLess(Pulse pulse) throws Exception {
        pulse.feel(new ServerHeart(redis));
        int all = THREADS + Result.WARM_UP;
        Rows rows = Rows.on(PostgresServer.shared(), ROWS);
        try (Commands commands = new Commands(redis)) {
            long fewest = Long.MAX_VALUE;
            for (int round = 0;
                    round < ROUNDS && fewest >= all;
                    round++) { // the slower, the fewer of them share a turn
                race(Contestant.Kind.holdfast(redis));
                fewest = Math.min(fewest, commands.count());
                commands.forget();
            }
            assertThat(fewest)
                    .as("commands of Holdfast, the best of %d rounds", ROUNDS)
                    .isLessThan(all);

            race(Contestant.Kind.sleeping(SLEEP_MILLIS, redis));
            assertThat(commands.count("SETNX", "GET", "GETSET", "DEL"))
                    .as("commands of who sleeps")
                    .isGreaterThanOrEqualTo(2L * all);
        }

        race(Contestant.Kind.row(rows));
        // Each SELECT is followed by its COMMIT. Counted once its connection is closed.
        Awaiting.until("each has locked the row itself", () -> selects(rows) == all);
    }

    @Test
    void twoProcessesExcludeEachOther() throws Exception {
        Result result = Result.inProcesses(Contestant.Kind.holdfast(redis), 2, THREADS / 2);

        assertThat(result.slowest()).isBetween(0, THREADS - 1);
    }

    private static Result race(Contestant.Kind kind) throws Exception {
        return Result.inOneProcess(kind, THREADS);
    }

    private static long selects(Rows rows) throws SQLException {
        try (Connection connection = PostgresServer.shared().connect(rows.url());
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 'goods'")) {
            row.next();
            return row.getLong(1);
        }
    }
}
