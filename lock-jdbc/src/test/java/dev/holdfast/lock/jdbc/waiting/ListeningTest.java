package dev.holdfast.lock.jdbc.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.Awaiting;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hundred wait, and the connection on which their process listens is killed. */
@Timeout(300)
class ListeningTest {

    /** By what it asked last: after a silence, whether anybody is still there. */
    private static final String LISTENING =
            " FROM pg_stat_activity WHERE datname = current_database() AND query SIMILAR TO '(LISTEN%|SELECT 1)'";

    private static final String LISTENERS = "SELECT count(*)" + LISTENING;
    private static final int WAITERS = 100;
    /** The time over which statements are counted; who polled every 50 ms would make 60 for each of the waiters. */
    private static final long QUIET_SECONDS = 3;
    /** Each place is confirmed every five seconds, many in one statement. */
    private static final int CONFIRMATIONS = 30;

    @Test
    void allAreServedAndNobodyPolls() throws Exception {
        List<AtomicInteger> inside =
                IntStream.range(0, WAITERS).mapToObj(i -> new AtomicInteger()).toList();
        Crowd crowd = new Crowd();
        try (PostgresServer server = PostgresServer.own()) {
            assumeThat(server.log())
                    .as("the server's log, in which statements are counted")
                    .isNotEmpty();
            Database database = Database.on(server);
            try (Locks others = database.open()) {
                List<Lease> before = new ArrayList<>();
                for (int i = 0; i < WAITERS; i++) {
                    before.add(others.named("job-" + i).acquire());
                }
                String name = database.url().substring(database.url().lastIndexOf('/') + 1);
                database.execute("ALTER DATABASE " + name + " SET log_statement = 'all'");
                try (Locks locks = database.open()) {
                    for (int i = 0; i < WAITERS; i++) {
                        crowd.add(locks.named("job-" + i), inside.get(i));
                    }
                    Awaiting.until("all wait", () -> database.places() == WAITERS);
                    Awaiting.until("the process listens", () -> database.number(LISTENERS) == 1);
                    killListener(database);

                    int statements = statements(server);
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(QUIET_SECONDS));
                    assertThat(statements(server) - statements)
                            .as("statements of %d waiters in %d s", WAITERS, QUIET_SECONDS)
                            .isLessThanOrEqualTo(CONFIRMATIONS);

                    before.forEach(Lease::close);
                    crowd.join();
                }
            }
        }
        assertThat(crowd.failures()).isEmpty();
        assertThat(crowd.served()).hasSize(WAITERS);
    }

    /** Returns when there is another. */
    private static void killListener(Database database) throws Exception {
        String pid = "SELECT min(pid)" + LISTENING;
        long killed = database.number(pid);
        database.execute("SELECT pg_terminate_backend(" + killed + ")");
        Awaiting.until("the process listens again", () -> {
            long now = database.number(pid);
            return now != 0 && now != killed;
        });
    }

    private static int statements(PostgresServer server) {
        return server.log().split("holdfast_apply_v1\\(", -1).length;
    }
}
