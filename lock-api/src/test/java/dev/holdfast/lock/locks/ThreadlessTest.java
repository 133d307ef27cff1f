package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.StandardError;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Code of the application whose turn comes while the process may start no thread. */
@Timeout(180)
@ResourceLock(Resources.SYSTEM_ERR)
class ThreadlessTest {

    private final AtomicBoolean isExhausted = new AtomicBoolean(true);
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<String> ranOn = new CopyOnWriteArrayList<>();
    private final Locks locks =
            DefaultLocks.open(LockConfiguration.resolved(memory()), Clock.SYSTEM, () -> new Exhausted());

    private static Properties memory() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "memory");
        return properties;
    }

    /** Threads for the application's code are to be had once the test says so. */
    private final class Exhausted extends ForwardingThreads {

        @Override
        public Executor asNeeded(String name) {
            Executor executor = super.asNeeded(name);
            return task -> {
                if (isExhausted.get()) {
                    throw new OutOfMemoryError("unable to create native thread, on purpose");
                }
                executor.execute(task);
            };
        }
    }

    @AfterEach
    void close() {
        end.countDown();
        isExhausted.set(false);
        locks.close();
    }

    /** Records the thread, and blocks it. */
    private void callback() {
        ranOn.add(Thread.currentThread().getName());
        Await.opened(end);
    }

    /** The callback is due: waits for the line in the log, then for its own thread, and for the lanes and timers that it must not block. */
    private void mustRunOnAThreadOfItsOwn(String name, StandardError log) throws Exception {
        Await.until("the log says so", () -> log.lines().anyMatch(line -> line.contains("no thread is available")));
        assertThat(ranOn).isEmpty();
        isExhausted.set(false);
        Await.until("the callback runs", () -> !ranOn.isEmpty());

        assertThat(ranOn).singleElement().asString().startsWith("holdfast-" + name + "-");
        assertThat(log.lines()
                        .filter(line -> line.contains("no thread is available"))
                        .filter(line -> !line.contains("lines of the log"))) // they wait for a thread as well
                .hasSize(1);
        Await.result(locks.named("another").acquireAsync()).close();
    }

    @Test
    void candidate_withoutAThread_isElectedOnceThereIsOneAndBlocksNoOther() throws Exception {
        try (StandardError log = StandardError.listen()) {
            locks.elect("boss", lease -> callback());
            mustRunOnAThreadOfItsOwn("election", log);
        }
    }

    @Test
    void future_withoutAThread_isCompletedOnceThereIsOneAndBlocksNoOther() throws Exception {
        try (StandardError log = StandardError.listen()) {
            CompletableFuture<Void> unused = locks.named("job").acquireAsync().thenAccept(lease -> callback());
            mustRunOnAThreadOfItsOwn("async", log);
        }
    }

    @Test
    void lossListener_withoutAThread_isCalledOnceThereIsOneAndBlocksNoOther() throws Exception {
        try (StandardError log = StandardError.listen()) {
            Lease lease =
                    locks.named("job").withFixedLease(Duration.ofMillis(200)).acquire();
            lease.onLost(loss -> callback());
            mustRunOnAThreadOfItsOwn("loss", log);
        }
    }
}
