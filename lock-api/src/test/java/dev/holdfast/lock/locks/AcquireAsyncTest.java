package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Futures of leases, whatever the application does on its pools and in its stages. */
@Timeout(180)
class AcquireAsyncTest {

    private final Locks locks = Locks.open(memory());
    private final CountDownLatch end = new CountDownLatch(1);

    private static Properties memory() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "memory");
        return properties;
    }

    @AfterEach
    void close() {
        end.countDown();
        locks.close();
    }

    @Test
    void acquireAsync_whenTheCommonPoolIsFullOfWaiters_completesAndTheyAllHaveTheirTurn() throws Exception {
        DistributedLock lock = locks.named("shared");
        Lease first = lock.acquire();
        CompletableFuture<Void> asynchronous = lock.acquireAsync().thenAccept(Lease::close);
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int waiter = 0; waiter < 2 * ForkJoinPool.getCommonPoolParallelism() + 2; waiter++) {
            waiters.add(CompletableFuture.runAsync(() -> acquireAndClose(lock)));
        }
        first.close();

        Await.result(asynchronous);
        for (CompletableFuture<Void> waiter : waiters) {
            Await.result(waiter);
        }
    }

    @Test
    void acquireAsync_whenTheCommonPoolIsBlockedForEver_completes() throws Exception {
        for (int task = 0; task < 2 * ForkJoinPool.getCommonPoolParallelism() + 2; task++) {
            ForkJoinPool.commonPool().execute(() -> Await.opened(end));
        }
        try (Lease lease = Await.result(locks.named("job").acquireAsync())) {
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void stages_thatBlockForEver_delayNoOtherFuture() throws Exception {
        CountDownLatch blocked = new CountDownLatch(40);
        for (int stage = 0; stage < 40; stage++) {
            DistributedLock lock = locks.named("blocked-" + stage);
            Lease held = lock.acquire(); // until the stage is there: this thread would run one of a completed future
            CompletableFuture<Void> unused = lock.acquireAsync().thenAccept(lease -> {
                blocked.countDown();
                Await.opened(end);
            });
            held.close();
        }
        Await.opened(blocked);
        Await.result(locks.named("other").acquireAsync()).close();
    }

    @Test
    void future_thatTheCloseOfTheLocksEnds_isCompletedThoughStagesBlockForEver() throws Exception {
        DistributedLock lock = locks.named("job");
        Lease held = lock.acquire();
        for (int stage = 0; stage < 20; stage++) {
            CompletableFuture<Object> unused = lock.acquireAsync().handle((lease, failure) -> {
                Await.opened(end);
                return true;
            });
        }
        CompletableFuture<Lease> last = lock.acquireAsync();
        locks.close();

        Await.until("the future is completed", last::isDone);
        assertThat(last).isCompletedExceptionally();
        assertThat(held.isHeld()).isFalse();
    }

    private static void acquireAndClose(DistributedLock lock) {
        try {
            lock.acquire().close();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
