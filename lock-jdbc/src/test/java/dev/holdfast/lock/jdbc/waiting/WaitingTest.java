package dev.holdfast.lock.jdbc.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.Awaiting;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Many that wait in one process. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class WaitingTest {

    private Database database;

    @BeforeEach
    void makeDatabase() throws Exception {
        database = Database.on(PostgresServer.shared());
    }

    @Test
    void aThousandThreadsAreServedInTheOrderInWhichTheyCame() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        Crowd crowd = new Crowd();
        try (Locks others = database.open();
                Locks locks = database.open()) {
            Lease before = others.named("job").acquire();
            for (int i = 0; i < 1_000; i++) {
                crowd.addAndAwait(locks.named("job"), inside);
            }
            assertThat(database.places()).as("places in the store's queue").isEqualTo(1);
            before.close();
            crowd.join();
        }
        assertThat(crowd.failures()).isEmpty();
        assertThat(crowd.served())
                .containsExactlyElementsOf(IntStream.range(0, 1_000).boxed().toList());
        assertThat(database.places()).isZero();
    }

    @Test
    void twoConnectionsServeAHundredWaitersOnFiftyNames() throws Exception {
        List<AtomicInteger> inside =
                IntStream.range(0, 50).mapToObj(i -> new AtomicInteger()).toList();
        Crowd crowd = new Crowd();
        try (Locks others = database.open();
                Locks locks = database.open("lock.jdbc.pool-size", "2")) {
            List<Lease> before = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                before.add(others.named("job-" + i).acquire());
            }
            for (int i = 0; i < 100; i++) {
                crowd.add(locks.named("job-" + i % 50), inside.get(i % 50));
            }
            Awaiting.until("all wait", () -> database.places() == 50);
            before.forEach(Lease::close);
            crowd.join();
        }
        assertThat(crowd.failures()).isEmpty();
        assertThat(crowd.served()).hasSize(100);
    }

    @Test
    void aLossAfterAHandOffIsToldToThePresentHolderOnce() throws Exception {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        try (Locks locks = database.open("lock.lease", "2s")) {
            DistributedLock lock = locks.named("job");
            Lease handedOn = null;
            Lease first;
            do { // a turn lasts 20 ms at most: on a busy machine the first try may be too late
                if (handedOn != null) {
                    handedOn.close();
                }
                first = lock.acquire();
                CompletableFuture<Lease> next = lock.acquireAsync();
                first.onLost(loss -> told.add("first"));
                first.close();
                handedOn = next.get(1, TimeUnit.MINUTES);
            } while (handedOn.fencingToken() != first.fencingToken() + 1);
            handedOn.onLost(loss -> told.add("second"));

            database.execute("UPDATE holdfast_lock SET state = 'free'");

            Lease lost = handedOn;
            Awaiting.until("the loss is told", () -> !told.isEmpty() && !lost.isHeld());
            try (Lease later = lock.acquire()) {
                assertThat(later.fencingToken()).isGreaterThan(lost.fencingToken());
            }
        }
        assertThat(told).containsExactly("second");
    }
}
