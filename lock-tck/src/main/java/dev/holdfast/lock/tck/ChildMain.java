package dev.holdfast.lock.tck;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The main class of the kit's processes. Prints its progress on standard output. */
final class ChildMain {

    /** Printed first. */
    static final String READY = "ready";

    /** Printed when the process holds the lock, with the fencing token and the end of the lease. */
    static final String HELD = "held";

    /** Printed after stores were opened and closed, with the names of the threads that are left. */
    static final String LEFT = "left";

    /** The number of openings of a store, after a first one in which drivers start threads for all later connections. */
    static final int OPENINGS = 3;

    /** Printed when the process is queued. */
    static final String QUEUED = "queued";

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private ChildMain() {}

    /**
     * @param arguments the configuration file, then {@code hold}, {@code queue} with a name, {@code reopen}, {@code commands} with a
     *     prefix of names, or {@code count} with the number of holds, each of which it prints
     */
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        if (arguments[1].equals("queue")) {
            queue(file, new LockName(arguments[2]));
            return;
        }
        if (arguments[1].equals("reopen")) {
            reopen(LockConfiguration.of(read(file)));
            return;
        }
        if (arguments[1].equals("commands")) {
            commands(file, arguments[2]);
            return;
        }
        try (Locks locks = opened(() -> Locks.open(file))) {
            DistributedLock lock = locks.named(Kit.JOB.value());
            print(READY);
            if (arguments[1].equals("hold")) {
                Lease lease = Kit.acquire(lock, WAIT);
                long until = System.currentTimeMillis() + lease.remaining().toMillis();
                print(HELD + " " + lease.fencingToken() + " " + until);
                awaitEndOfInput();
            } else {
                count(lock, Integer.parseInt(arguments[2]));
            }
        }
    }

    /** Repeats the opening, as the store may be unavailable for a while on a machine that is busy starting processes. */
    private static <T> T opened(Supplier<T> opening) {
        for (long start = System.nanoTime(); ; ) {
            try {
                return opening.get();
            } catch (LockUnavailableException e) {
                if (System.nanoTime() - start > Kit.REPEAT_LIMIT.toNanos()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @SuppressWarnings("SystemOut") // a pipe to the test that started this process
    private static void print(String line) {
        System.out.println(line);
    }

    /** Waits for a held lock until the process is killed. */
    private static void queue(Path file, LockName name) throws Exception {
        Properties configuration = read(file);
        RecordingStore store = new RecordingStore(
                opened(() -> LockConfiguration.of(configuration).openStore()), new CallTrace());
        try (store;
                Locks locks = Locks.open(store, configuration)) {
            DistributedLock lock = locks.named(name.value());
            Thread waiter = new Thread(() -> hold(lock), "waiter");
            waiter.setDaemon(true);
            waiter.start();
            while (!store.hasQueued(name)) {
                if (!waiter.isAlive()) {
                    throw new IllegalStateException("the acquire did not have to wait");
                }
                Kit.pause(Duration.ofMillis(5));
            }
            print(QUEUED);
            awaitEndOfInput();
        }
    }

    private static Properties read(Path file) throws IOException {
        Properties configuration = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            configuration.load(in);
        }
        return configuration;
    }

    private static void reopen(LockConfiguration configured) throws Exception {
        use(configured);
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        for (int i = 0; i < OPENINGS; i++) {
            use(configured);
        }
        long start = System.nanoTime();
        List<String> left = threadsBesides(before);
        while (left.size() >= OPENINGS && System.nanoTime() - start < Kit.REPEAT_LIMIT.toNanos()) {
            LockSupport.parkNanos(PAUSE_NANOS);
            left = threadsBesides(before);
        }
        print(left.size() < OPENINGS ? LEFT : LEFT + " " + left);
    }

    private static List<String> threadsBesides(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> !name.startsWith("ForkJoinPool.commonPool")) // Java's own, and ends by itself
                .sorted()
                .toList();
    }

    /** Opens a store, uses its capabilities, and closes it. */
    private static void use(LockConfiguration configured) throws Exception {
        try (StoreClient client = new StoreClient(opened(configured::openStore), WAIT, true, new CallTrace())) {
            client.release(client.grant(Kit.JOB, Kit.LONG));
            if (client.store().capabilities().contains(Capability.LIST)) {
                client.list("");
            }
            if (client.store().capabilities().contains(Capability.NOTIFICATIONS)) {
                try (NotificationRecorder subscription = new NotificationRecorder(client)) {
                    while (!subscription.receivedAny()) {
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                }
            }
        }
    }

    /** The commands of a client with another clock. */
    private static void commands(Path file, String prefix) throws Exception {
        LockConfiguration configured = LockConfiguration.of(read(file));
        try (StoreClient client = new StoreClient(opened(configured::openStore), WAIT, true, new CallTrace())) {
            print(ShiftedClient.execute(client, prefix));
            awaitEndOfInput();
        }
    }

    private static void hold(DistributedLock lock) {
        try (Lease lease = Kit.acquire(lock, WAIT)) {
            print(HELD + " " + lease.fencingToken());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the test closes the pipe. */
    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // nothing is sent but the end of the stream
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
                print(new HoldHistory.Hold(lease.fencingToken(), from, System.nanoTime()).toString());
            }
        }
    }
}
