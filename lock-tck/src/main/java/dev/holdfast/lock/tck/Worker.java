package dev.holdfast.lock.tck;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.Opening;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** What the kit runs in processes of its own. Says on its standard output how far it is. */
final class Worker {

    /** What it prints first. */
    static final String READY = "ready";

    /** What it prints when it holds the lock, followed by the fencing token and when the lease ends. */
    static final String HELD = "held";

    /** What it prints when it has its place in the queue. */
    static final String QUEUED = "queued";

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private Worker() {}

    /**
     * @param arguments the configuration file, then {@code hold}, {@code queue}, or {@code count} with how often: it prints
     *     each hold
     */
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        if (arguments[1].equals("queue")) {
            queue(file);
            return;
        }
        try (Locks locks = opened(() -> Locks.open(file))) {
            DistributedLock lock = locks.named(Kit.JOB.value());
            say(READY);
            if (arguments[1].equals("hold")) {
                Lease lease = Kit.acquire(lock, WAIT);
                long until = System.currentTimeMillis() + lease.remaining().toMillis();
                say(HELD + " " + lease.fencingToken() + " " + until);
                awaitTheEnd();
            } else {
                count(lock, Integer.parseInt(arguments[2]));
            }
        }
    }

    /** A store may be unavailable for a while, as on a machine that is busy starting processes. */
    private static <T> T opened(Supplier<T> opening) {
        for (long start = System.nanoTime(); ; ) {
            try {
                return opening.get();
            } catch (LockUnavailableException e) {
                if (System.nanoTime() - start > Kit.HANG.toNanos()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @SuppressWarnings("SystemOut") // a pipe to the test that started this process
    private static void say(String what) {
        System.out.println(what);
    }

    /** Waits for a lock that is held, until killed. */
    private static void queue(Path file) throws Exception {
        Properties configuration = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            configuration.load(in);
        }
        Eavesdropper store = new Eavesdropper(opened(() -> Opening.bareStore(configuration)));
        try (store;
                Locks locks = Locks.open(store, configuration)) {
            DistributedLock lock = locks.named(Kit.JOB.value());
            Thread waiter = new Thread(() -> hold(lock), "waiter");
            waiter.setDaemon(true);
            waiter.start();
            while (!store.hasQueued(Kit.JOB)) {
                if (!waiter.isAlive()) {
                    throw new IllegalStateException("did not have to wait");
                }
                Kit.pause(Duration.ofMillis(5));
            }
            say(QUEUED);
            awaitTheEnd();
        }
    }

    private static void hold(DistributedLock lock) {
        try (Lease lease = Kit.acquire(lock, WAIT)) {
            say(HELD + " " + lease.fencingToken());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until killed, or until the test closes the pipe. */
    private static void awaitTheEnd() throws IOException {
        while (System.in.read() >= 0) {
            // Nothing is ever sent: the end of the stream is the message.
        }
    }

    private static void count(DistributedLock lock, int times) throws Exception {
        if (System.in.read() < 0) {
            return;
        }
        for (int i = 0; i < times; i++) {
            try (Lease lease = Kit.acquire(lock, WAIT)) {
                long from = System.nanoTime();
                Kit.pause(Duration.ofMillis(5));
                say(new Holds.Hold(lease.fencingToken(), from, System.nanoTime()).toString());
            }
        }
    }
}
