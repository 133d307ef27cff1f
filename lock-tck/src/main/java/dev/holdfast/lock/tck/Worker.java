package dev.holdfast.lock.tck;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.Opening;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;

/** What the kit runs in processes of its own. Says on its standard output how far it is. */
final class Worker {

    /** What it prints first. */
    static final String READY = "ready";

    /** What it prints when it holds the lock, followed by the fencing token and when the lease ends. */
    static final String HELD = "held";

    /** What it prints when it has its place in the queue. */
    static final String QUEUED = "queued";

    /** What it prints when another process was inside. */
    static final String OVERLAP = "overlap";

    private static final Duration WAIT = Duration.ofSeconds(60);

    private Worker() {}

    /**
     * @param arguments the configuration file, then {@code hold}, {@code queue}, or {@code count} with a directory and how
     *     often
     */
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        if (arguments[1].equals("queue")) {
            queue(file);
            return;
        }
        try (Locks locks = Locks.open(file)) {
            DistributedLock lock = locks.named(Kit.JOB.value());
            say(READY);
            if (arguments[1].equals("hold")) {
                Lease lease = Kit.acquire(lock, WAIT);
                long until = System.currentTimeMillis() + lease.remaining().toMillis();
                say(HELD + " " + lease.fencingToken() + " " + until);
                awaitTheEnd();
            } else {
                count(lock, Path.of(arguments[2]), Integer.parseInt(arguments[3]));
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
        Eavesdropper store = new Eavesdropper(Opening.bareStore(configuration));
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

    private static void count(DistributedLock lock, Path directory, int times) throws Exception {
        Path file = directory.resolve("count");
        Path marker = directory.resolve("inside");
        if (System.in.read() < 0) {
            return;
        }
        for (int i = 0; i < times; i++) {
            try (Lease lease = Kit.acquire(lock, WAIT)) {
                try {
                    Files.createFile(marker);
                } catch (FileAlreadyExistsException e) {
                    say(OVERLAP + " with token " + lease.fencingToken());
                    return;
                }
                int before = Integer.parseInt(Files.readString(file));
                Kit.pause(Duration.ofMillis(10));
                Files.writeString(file, Integer.toString(before + 1));
                Files.delete(marker);
            }
        }
    }
}
