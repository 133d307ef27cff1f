package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.server.RedisServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * For how long this process, its database or a Redis stood still although no test had them do so. After that a regime lease may
 * have lapsed, or who is alive may have been missed, as is right, but not what a test asks about.
 */
final class Pulse implements AutoCloseable {

    private static final int ATTEMPTS = 5;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final String COMMIT = "SELECT pg_logical_emit_message(true, 'pulse', '')";

    private final Connection connection;
    private final List<RedisClient> watched = new CopyOnWriteArrayList<>();
    private volatile boolean over;
    private long last = System.nanoTime();
    private long longest;

    private Pulse(PostgresServer postgres) throws SQLException {
        connection = postgres.connect(postgres.url("postgres"));
        Thread thread = new Thread(this::beat, "pulse");
        thread.setDaemon(true);
        thread.start();
    }

    /** What may have to be tried again; in a namespace of its own each time. */
    interface Attempt {
        void run(int number, Pulse pulse) throws Exception;
    }

    /** Tries until it succeeds, or fails although nothing stood still for as long as a look at the primary is away. */
    static void through(PostgresServer postgres, Timing timing, Attempt attempt) throws Exception {
        for (int number = 1; ; number++) {
            try (Pulse pulse = new Pulse(postgres)) {
                try {
                    attempt.run(number, pulse);
                    return;
                } catch (Exception | AssertionError e) {
                    Duration longest = pulse.longest();
                    if (number == ATTEMPTS || longest.compareTo(timing.looking()) < 0) {
                        throw e;
                    }
                    System.out.println("tried again, as something stood still for " + longest + ": " + e);
                }
            }
        }
    }

    /** From now on this one has to answer, too. */
    void watch(RedisServer redis) {
        watched.add(redis.client());
    }

    /** Another process stood still for this long. */
    synchronized void note(Duration gap) {
        longest = Math.max(longest, gap.toNanos());
    }

    private synchronized Duration longest() {
        return Duration.ofNanos(Math.max(longest, System.nanoTime() - last));
    }

    private synchronized void beaten() {
        long now = System.nanoTime();
        longest = Math.max(longest, now - last);
        last = now;
    }

    private void beat() {
        try (Connection toTheEnd = connection) {
            while (!over) {
                ask(toTheEnd);
                beaten();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (SQLException e) {
            // it is not needed any more
        } finally {
            watched.forEach(RedisClient::close);
        }
    }

    private void ask(Connection database) {
        unlessDead(() -> {
            try (Statement statement = database.createStatement()) {
                statement.execute(COMMIT);
            }
        });
        watched.forEach(each -> unlessDead(each::ping));
    }

    /** Who is dead says so at once, which is an answer, too: only silence counts. */
    private static void unlessDead(Question question) {
        try {
            question.ask();
        } catch (SQLException | JedisException e) {
            // it is
        }
    }

    private interface Question {
        void ask() throws SQLException;
    }

    @Override
    public void close() {
        over = true;
    }
}
