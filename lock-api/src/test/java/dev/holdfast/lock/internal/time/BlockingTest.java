package dev.holdfast.lock.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a thread of a ForkJoinPool waits. */
@Timeout(180)
class BlockingTest {

    private final ForkJoinPool pool = new ForkJoinPool(1);
    private final CompletableFuture<String> awaited = new CompletableFuture<>();

    @AfterEach
    void close() {
        awaited.complete("end");
        pool.shutdownNow();
    }

    @Test
    void wait_onTheOnlyThreadOfAPool_hasAnotherThreadRunTheTaskThatEndsIt() throws Exception {
        CompletableFuture<String> joined = new CompletableFuture<>();
        pool.execute(() -> {
            pool.execute(() -> awaited.complete("by another task"));
            joined.complete(Blocking.join(awaited));
        });
        assertThat(joined.get(170, TimeUnit.SECONDS)).isEqualTo("by another task");
    }

    @Test
    void wait_runsNoOtherTaskOfThePoolOnTheWaitingThread() throws Exception {
        CompletableFuture<Thread> waiting = new CompletableFuture<>();
        CompletableFuture<Thread> other = new CompletableFuture<>();
        pool.execute(() -> {
            CompletableFuture<Void> unused = CompletableFuture.runAsync(
                    () -> {
                        other.complete(Thread.currentThread());
                        awaited.complete("by an asynchronous task");
                    },
                    pool);
            Blocking.join(awaited);
            waiting.complete(Thread.currentThread());
        });
        assertThat(waiting.get(170, TimeUnit.SECONDS)).isNotEqualTo(other.get(170, TimeUnit.SECONDS));
    }

    @Test
    void wait_inAPoolThatMayHaveNoMoreThreads_endsNevertheless() throws Exception {
        ForkJoinPool full = new ForkJoinPool(
                1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, false, 1, 1, 1, null, 1, TimeUnit.MINUTES);
        try {
            CompletableFuture<String> joined = new CompletableFuture<>();
            CompletableFuture<String> began = new CompletableFuture<>();
            full.execute(() -> {
                began.complete("began");
                joined.complete(Blocking.join(awaited));
            });
            began.get(170, TimeUnit.SECONDS);
            awaited.complete("from outside");
            assertThat(joined.get(170, TimeUnit.SECONDS)).isEqualTo("from outside");
        } finally {
            full.shutdownNow();
        }
    }

    @Test
    void join_whenInterrupted_keepsTheInterruptForTheCaller() throws Exception {
        CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            Thread.currentThread().interrupt();
            Blocking.join(awaited);
            isInterrupted.complete(Thread.interrupted());
        });
        thread.start();
        awaited.complete("done");
        assertThat(isInterrupted.get(170, TimeUnit.SECONDS)).isTrue();
    }
}
