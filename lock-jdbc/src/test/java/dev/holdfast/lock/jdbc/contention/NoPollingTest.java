package dev.holdfast.lock.jdbc.contention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hundred waiters, and a listener whose connection is killed. */
@Tag("first-build")
@Timeout(300)
class NoPollingTest {

    /** By its last statement: LISTEN, or the check of a silent connection. */
    private static final String LISTENING =
            " FROM pg_stat_activity WHERE datname = current_database() AND query SIMILAR TO '(LISTEN%|SELECT 1)'";

    private static final String LISTENERS = "SELECT count(*)" + LISTENING;
    private static final int WAITERS = 100;
    /** Over which statements are counted; a waiter that polled every 50 ms would make 40. */
    private static final long QUIET_SECONDS = 2;

    @Test
    void waiters_areServedWithoutPolling() throws Exception {
        PostgresServer server = PostgresServer.shared();
        try (WaitingThreads crowd = new WaitingThreads()) {
            assumeThat(server.log())
                    .as("the server's log, in which statements are counted")
                    .isNotEmpty();
            ContendedDatabase database = ContendedDatabase.on(server);
            try (Locks others = database.open()) {
                List<Lease> before = new ArrayList<>();
                for (int i = 0; i < WAITERS; i++) {
                    before.add(others.named("job-" + i).acquire());
                }
                String name = database.url().substring(database.url().lastIndexOf('/') + 1);
                database.execute("ALTER DATABASE " + name + " SET log_statement = 'all'");
                try (Locks locks = database.open()) {
                    for (int i = 0; i < WAITERS; i++) {
                        crowd.add("waiter", locks.named("job-" + i));
                    }
                    Await.until("all wait", () -> database.places() == WAITERS);
                    Await.until("the process listens", () -> database.number(LISTENERS) == 1);
                    killListener(database);

                    long start = System.nanoTime();
                    long statements = statements(server, name);
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(QUIET_SECONDS));
                    long more = statements(server, name) - statements;
                    Duration quiet = Duration.ofNanos(System.nanoTime() - start);
                    assertThat(more)
                            .as("statements of %d waiters in %s", WAITERS, quiet)
                            .isLessThanOrEqualTo(WAITERS * (1 + quiet.dividedBy(QueueTimes.REFRESH_INTERVAL)));

                    before.forEach(Lease::close);
                    crowd.join();
                }
            }
        }
    }

    /** Returns when there is another. */
    private static void killListener(ContendedDatabase database) throws Exception {
        String pid = "SELECT min(pid)" + LISTENING;
        long killed = database.number(pid);
        database.execute("SELECT pg_terminate_backend(" + killed + ")");
        Await.until("the process listens again", () -> {
            long now = database.number(pid);
            return now != 0 && now != killed;
        });
    }

    /** By which locks are asked for and places are confirmed, in this database. */
    private static long statements(PostgresServer server, String database) {
        return server.log()
                .lines()
                .filter(line -> line.contains("] " + database + " ") && line.contains("holdfast_execute("))
                .count();
    }
}
