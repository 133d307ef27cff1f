package dev.holdfast.lock.composite.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.pulse.Pulse;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.ServerHeart;
import dev.holdfast.lock.spi.DurationText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.RedisClient;

/**
 * A master grants a lock, its replicas hear nothing of it, it dies, and one of them takes its place. With Redis alone two hold the
 * lock then; with the composite one does, and goes on holding it. The same processes, and the same judge, for both.
 */
@Execution(ExecutionMode.CONCURRENT)
class LostGrantTest {

    private static final int ROUNDS = Integer.getInteger("lock.test.scale", 1) > 1 ? 200 : 3;
    private static final int WITH_SENTINELS = 50;
    private static final int RENEWALS = 3;
    private static final Timing TIMING = new Timing(Duration.ofSeconds(5));
    /** What a token of the application's has more than the store's. */
    private static final int HANDOFF_BITS = 8;

    private static final Path LOG = Path.of("target", "lost-grants.log");

    private static Database database;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() throws Exception {
        database = new Database();
        Files.deleteIfExists(LOG);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    void onRedisAloneTwoHoldTheLockAndTheJudgeSeesIt() throws Exception {
        for (int number = 1; number <= ROUNDS; number++) {
            int round = number;
            DatabaseHeart.steadily(database.server(), TIMING, pulse -> {
                try (Round alone = new Round("redis", round, pulse)) {
                    alone.loseTheGrant();
                    alone.contender.awaitSaid("granted");

                    Awaiting.until(
                            "two holders are seen",
                            () -> !alone.history.violations().isEmpty());
                    assertThat(alone.history.violations())
                            .allMatch(each -> each.startsWith("two holders: Hold[process=holder"));
                    alone.log(alone.history.violations().get(0));
                }
            });
        }
    }

    @Test
    void onTheCompositeTheHolderKeepsTheLockAndNobodyElseIsGrantedIt() throws Exception {
        List<String> violations = new ArrayList<>();
        for (int number = 1; number <= ROUNDS; number++) {
            int round = number;
            DatabaseHeart.steadily(database.server(), TIMING, pulse -> {
                try (Round both = new Round("composite", round, pulse)) {
                    try {
                        both.keepTheLock();
                    } finally {
                        violations.addAll(both.history.violations());
                    }
                }
            });
            // Two do not hold it at any time, whatever stands still.
            assertThat(violations).isEmpty();
        }
    }

    /** Two processes, a Redis whose replicas lag, and the database that all rounds share. */
    private final class Round implements AutoCloseable {

        private final String name;
        private final Path files;
        private final History history;
        private final Pulse pulse;
        private final Replicated redis;
        private final Worker holder;
        private final Worker contender;

        Round(String provider, int number, Pulse pulse) throws Exception {
            this.pulse = pulse;
            name = provider + "-" + number + "-" + pulse.attempt();
            files = Files.createDirectory(directory.resolve(name));
            history = new History(files);
            redis = number % WITH_SENTINELS == 1 ? new Watched() : new Pair();
            redis.all().forEach(server -> pulse.feel(new ServerHeart(server)));
            try (Connection connection = database.connect()) {
                Fence.add(connection, name);
            }
            Properties locks = configuration(provider);
            long before = System.nanoTime();
            holder = start(Holder.class, "holder", locks);
            contender = start(Contender.class, "contender", locks);
            for (Worker each : List.of(holder, contender)) {
                assertThat(Long.parseLong(each.awaitSaid("ready")))
                        .as("the clock of " + each.name() + ", which has to be ours")
                        .isBetween(before, System.nanoTime());
            }
        }

        private Properties configuration(String provider) {
            Properties locks = new Properties();
            locks.setProperty("lock.provider", provider);
            locks.setProperty("lock.namespace", name);
            locks.setProperty("lock.redis.uri", redis.uri());
            locks.setProperty("lock.call-timeout", "500ms");
            if (provider.equals("composite")) {
                locks.setProperty("lock.lease", "18s");
                locks.setProperty("lock.composite.regime-lease", DurationText.format(TIMING.lease()));
                database.configure(locks);
                locks.setProperty("lock.jdbc.pool-size", "4");
            } else {
                locks.setProperty("lock.lease", "5m"); // longer than it takes to find another master
            }
            return locks;
        }

        private Worker start(Class<?> program, String process, Properties locks) throws IOException {
            List<String> arguments = new ArrayList<>(List.of(name));
            arguments.addAll(database.coordinates());
            return Worker.start(program, files, process, locks, history, arguments);
        }

        /** Has the grant lost, and looks whether it is held until it is given back, and then only granted to another. */
        void keepTheLock() throws Exception {
            long token = loseTheGrant();
            awaitRenewals();
            List<Hold> tooEarly = history.holdsOf("contender");

            holder.tell("give it back");

            pulse.note(Duration.ofNanos(Long.parseLong(holder.awaitSaid("stood"))));
            assertThat(holder.awaitSaid("gave"))
                    .as("state of the lease, whether its token passed the fence, whether it was held to the end")
                    .matches("(HELD|UNCONFIRMED) true true");
            assertThat(tooEarly).as("grants to the contender").isEmpty();
            long next = Long.parseLong(contender.awaitSaid("granted"));
            assertThat(next).isGreaterThan(token);
            contender.tell("end");
            assertThat(contender.awaitEnd()).isEmpty();
            assertThat(holder.awaitEnd()).isEmpty();
            log("token " + token + ", then " + next);
        }

        /** The token of the grant that is lost. */
        long loseTheGrant() throws IOException {
            redis.cutReplication();
            holder.tell("acquire");
            long token = Long.parseLong(holder.awaitSaid("granted"));
            String grant = " " + (token >> HANDOFF_BITS) + " ";
            assertThat(locks(redis.master())).as("locks, at the master").anyMatch(each -> each.contains(grant));
            contender.tell("ask");

            RedisServer promoted = redis.failOver();

            assertThat(locks(promoted)).as("locks, at the promoted replica").noneMatch(each -> each.contains(grant));
            return token;
        }

        /** What is held there, each with its token; by somebody else too, once sentinels have led the contender there. */
        private List<String> locks(RedisServer server) {
            try (RedisClient client = server.client()) {
                return client.keys("*:lock:" + name).stream().map(client::get).toList();
            }
        }

        /** Until the database has prolonged what it was told of so many times. */
        void awaitRenewals() throws SQLException {
            Set<String> ends = new HashSet<>();
            try (Connection connection = database.connect();
                    PreparedStatement end = connection.prepareStatement(
                            "SELECT until FROM holdfast_lock WHERE namespace = ? AND name = ?")) {
                end.setString(1, name);
                end.setString(2, name);
                Awaiting.until("renewals in the database; the holder logged: " + holder.log(), () -> {
                    try (ResultSet row = end.executeQuery()) {
                        if (row.next()) {
                            ends.add(row.getString(1));
                        }
                    }
                    return ends.size() > RENEWALS;
                });
            }
        }

        void log(String what) throws IOException {
            Files.writeString(
                    LOG,
                    Instant.now() + " " + name + ": " + what + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }

        @Override
        public void close() {
            holder.close();
            contender.close();
            redis.close();
        }
    }
}
