package dev.holdfast.lock.redis.trouble;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A process of its own that, under a lock, reads the last number of a file and writes the next. */
final class Contender {

    /** Whoever stands still between a look at its lease and the writing must not outlast it. */
    private static final String LEASE = "10s";

    private Contender() {}

    /** Arguments: the URI, the file of numbers, how many to write. */
    public static void main(String[] args) throws Exception {
        Path numbers = Path.of(args[1]);
        int silences = 0;
        try (Locks locks = Application.open(args[0], "lock.lease", LEASE, "lock.call-timeout", "300ms")) {
            for (int written = 0; written < Integer.parseInt(args[2]); ) {
                try (Lease lease = locks.named("numbers").acquire()) {
                    List<String> lines = Files.exists(numbers) ? Files.readAllLines(numbers) : List.of();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                    String line = lines.size() + " " + lease.fencingToken() + "\n";
                    if (lease.isHeld()) {
                        Files.writeString(numbers, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                        written++;
                    }
                } catch (LockUnavailableException e) { // the server has been silent for ten seconds
                    if (++silences > 3) {
                        throw e;
                    }
                }
            }
        }
    }
}
