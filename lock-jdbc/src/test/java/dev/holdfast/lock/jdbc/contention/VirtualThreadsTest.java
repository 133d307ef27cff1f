package dev.holdfast.lock.jdbc.contention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Thousands of virtual threads wait, and pin none of those that carry them; where there are virtual threads. */
@Timeout(300)
@Isolated // what any thread of this JVM pins would count
class VirtualThreadsTest {

    private static final int THREADS = 2_000;
    private static final int NAMES = 100;

    @TempDir
    Path directory;

    @Test
    void virtualThread_whileWaiting_isNotPinned() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "this JDK has no virtual threads");
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        ContendedDatabase database = ContendedDatabase.on(PostgresServer.shared());
        AtomicInteger asking = new AtomicInteger();
        AtomicInteger served = new AtomicInteger();
        List<RecordedEvent> pinned;
        try (Locks others = database.open();
                Locks locks = database.open();
                Recording recording = new Recording()) {
            List<Lease> before = new ArrayList<>();
            for (int i = 0; i < NAMES; i++) {
                before.add(others.named("job-" + i).acquire());
            }
            // The first of all to wait for the network has the JDK initialize itself, which pins.
            ((Thread) start.invoke(null, (Runnable) () -> take(locks.named("warm-up")))).join();
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
            recording.start();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                DistributedLock lock = locks.named("job-" + i % NAMES);
                threads.add((Thread) start.invoke(null, (Runnable) () -> {
                    asking.incrementAndGet();
                    take(lock);
                    served.incrementAndGet();
                }));
            }
            Await.until("all wait", () -> asking.get() == THREADS && database.places() == NAMES);
            before.forEach(Lease::close);
            for (Thread thread : threads) {
                thread.join();
            }
            recording.stop();
            Path file = directory.resolve("pinned.jfr");
            recording.dump(file);
            pinned = RecordingFile.readAllEvents(file);
        }
        assertThat(served).hasValue(THREADS);
        assertThat(pinned).isEmpty();
    }

    private static void take(DistributedLock lock) {
        try (Lease lease = lock.acquire()) {
            lease.ensureHeld();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
