package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A process of its own that, under a lock, reads the last number of a file and writes the next. */
final class Contender {

    /** To the name of the file of numbers: whatever was written there when the lease was over. */
    static final String LATE = ".late";

    private Contender() {}

    /** Arguments: the URL, the file of numbers, how many to write. */
    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        properties.putAll(java.util.Map.of(
                "lock.provider", "jdbc", "lock.jdbc.url", args[0], "lock.lease", "1s", "lock.call-timeout", "300ms"));
        Path numbers = Path.of(args[1]);
        try (Locks locks = Locks.open(properties)) {
            System.out.println("ready");
            for (int written = 0; written < Integer.parseInt(args[2]); ) {
                try (Lease lease = locks.named("numbers").acquire()) {
                    List<String> lines = Files.exists(numbers) ? Files.readAllLines(numbers) : List.of();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                    String line = lines.size() + " " + lease.fencingToken() + "\n";
                    if (lease.isHeld()) {
                        Files.writeString(numbers, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                        written++;
                        if (!lease.isHeld()) { // over before, for all it knows
                            Files.writeString(
                                    Path.of(args[1] + LATE),
                                    line,
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.APPEND);
                        }
                    }
                }
            }
        }
    }
}
