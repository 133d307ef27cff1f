package dev.holdfast.lock.tck;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** What the kit runs in processes of its own. Says on its standard output how far it is. */
final class Worker {

    /** What it prints first. */
    static final String READY = "ready";

    /** What it prints when it holds the lock, followed by the fencing token and when the lease ends. */
    static final String HELD = "held";

    /** What it prints when another process was inside. */
    static final String OVERLAP = "overlap";

    private static final Duration WAIT = Duration.ofSeconds(60);

    private Worker() {}

    /** @param arguments the configuration file, then {@code hold}, or {@code count} with a directory and how often */
    @SuppressWarnings("SystemOut") // a pipe to the test that started this process
    public static void main(String[] arguments) throws Exception {
        try (Locks locks = Locks.open(Path.of(arguments[0]))) {
            DistributedLock lock = locks.named(Kit.JOB.value());
            System.out.println(READY);
            if (arguments[1].equals("hold")) {
                Lease lease = lock.acquire(WAIT);
                long until = System.currentTimeMillis() + lease.remaining().toMillis();
                System.out.println(HELD + " " + lease.fencingToken() + " " + until);
                awaitTheEnd();
            } else {
                count(lock, Path.of(arguments[2]), Integer.parseInt(arguments[3]));
            }
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
            try (Lease lease = lock.acquire(WAIT)) {
                try {
                    Files.createFile(marker);
                } catch (FileAlreadyExistsException e) {
                    System.out.println(OVERLAP + " with token " + lease.fencingToken());
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
