package dev.holdfast.lock.jdbc.contention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Many waiters in one process. */
@Tag("first-build")
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class WaitingTest {

    private ContendedDatabase database;

    @BeforeEach
    void makeDatabase() throws Exception {
        database = ContendedDatabase.on(PostgresServer.shared());
    }

    @Test
    void threads_ofOneClient_areServedInTheOrderOfArrival() throws Exception {
        int threads = 200;
        try (WaitingThreads crowd = new WaitingThreads();
                Locks others = database.open();
                Locks locks = database.open()) {
            try (Lease before = others.named("job").acquire()) {
                for (int i = 0; i < threads; i++) {
                    crowd.addAndAwait(locks.named("job"));
                }
                assertThat(database.places()).as("places in the store's queue").isEqualTo(1);
                assertThat(before.isHeld()).isTrue();
            }
            crowd.join();
            assertThat(crowd.served())
                    .containsExactlyElementsOf(
                            IntStream.range(0, threads).boxed().toList());
        }
        assertThat(database.places()).isZero();
    }

    @Test
    void twoConnections_serveAHundredWaitersOnFiftyNames() throws Exception {
        try (WaitingThreads crowd = new WaitingThreads();
                Locks others = database.open();
                Locks locks = database.open("lock.jdbc.pool-size", "2")) {
            List<Lease> before = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                before.add(others.named("job-" + i).acquire());
            }
            for (int i = 0; i < 100; i++) {
                crowd.add("waiter", locks.named("job-" + i % 50));
            }
            Await.until("all wait", () -> database.places() == 50);
            before.forEach(Lease::close);
            crowd.join();
        }
    }
}
