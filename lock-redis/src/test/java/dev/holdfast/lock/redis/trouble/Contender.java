package dev.holdfast.lock.redis.trouble;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A process of its own that, under a lock, reads the last number of a file and writes the next. */
final class Contender {

    private Contender() {}

    /** Arguments: the URI, the file of numbers, how many to write. */
    public static void main(String[] args) throws Exception {
        Path numbers = Path.of(args[1]);
        try (Locks locks = Application.open(args[0], "lock.lease", "1s", "lock.call-timeout", "300ms")) {
            for (int written = 0; written < Integer.parseInt(args[2]); ) {
                try (Lease lease = locks.named("numbers").acquire()) {
                    List<String> lines = Files.exists(numbers) ? Files.readAllLines(numbers) : List.of();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                    String line = lines.size() + " " + lease.fencingToken() + "\n";
                    if (lease.isHeld()) {
                        Files.writeString(numbers, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                        written++;
                    }
                }
            }
        }
    }
}
