package dev.holdfast.lock.jdbc.contention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.Await;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Thousands of waiters in one process without threads of their own. Threads are counted, so nothing else runs beside it.
 */
@Timeout(300)
@Isolated
class WaitingFuturesTest {

    @Test
    void futures_byTheThousand_takeNoThreads() throws Exception {
        int waiters = 2_000;
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        ContendedDatabase database = ContendedDatabase.on(PostgresServer.shared());
        try (Locks others = database.open();
                Locks locks = database.open()) {
            Lease before = others.named("job").acquire();
            int threads = ManagementFactory.getThreadMXBean().getThreadCount();
            DistributedLock lock = locks.named("job");
            for (int i = 0; i < waiters; i++) {
                int number = i;
                futures.add(lock.acquireAsync(Duration.ofMinutes(5)).thenAccept(lease -> {
                    served.add(number);
                    lease.close();
                }));
            }
            Await.until("the process waits", () -> database.places() == 1);
            assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - threads)
                    .as("threads for %d waiters", waiters)
                    .isLessThan(20);
            before.close();
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(5, TimeUnit.MINUTES);
        }
        assertThat(served)
                .containsExactlyElementsOf(IntStream.range(0, waiters).boxed().toList());
    }
}
