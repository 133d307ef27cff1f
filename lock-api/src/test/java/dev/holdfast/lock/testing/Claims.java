package dev.holdfast.lock.testing;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spi.Share;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Records when one holder, a thread or a process, holds locks, for a {@link History}. A process records in a file that outlasts
 * it.
 *
 * <p>Each instant is read before the lease is asked whether it is held, so that it was held then. Thread-safe.
 */
public final class Claims implements AutoCloseable {

    /** The shortest hold: others need the time to be granted the same lock wrongly. */
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final Consumer<String> lines;
    private final AutoCloseable end;
    private final AtomicLong claims = new AtomicLong();
    private final Map<Thread, Long> asked = new ConcurrentHashMap<>();

    Claims(Consumer<String> lines, AutoCloseable end) {
        this.lines = lines;
        this.end = end;
    }

    /** Claims of this process, for a history of another process. The file must not exist. */
    public static Claims to(Path path) throws IOException {
        // No channel: the interrupt of a thread that records, such as a leader's, would close it for all.
        OutputStream file = new FileOutputStream(Files.createFile(path).toFile());
        return new Claims(line -> append(file, line), file);
    }

    /** This thread asks for the next lock now. If this is not said, a grant counts as asked for when it is recorded. */
    public void ask() {
        asked.put(Thread.currentThread(), System.nanoTime());
    }

    /** Records a lease that was just granted, and returns the number of the claim. */
    public long granted(Lease lease) {
        return granted(lease, Share.EXCLUSIVE);
    }

    /** The same with a share of the lock. The holder has to say when it asks: the order of tokens is judged by that. */
    public long granted(Lease lease, Share share) {
        return granted(lease.name(), share, lease.fencingToken());
    }

    /** The same without a lease. */
    public long granted(String name, long token) {
        return granted(name, Share.EXCLUSIVE, token);
    }

    private long granted(String name, Share share, long token) {
        long claim = claims.incrementAndGet();
        long now = System.nanoTime();
        lines.accept(
                "granted " + claim + " " + now + " " + token + " " + asked.getOrDefault(Thread.currentThread(), now)
                        + " " + share.permits() + " " + share.limit() + " " + name);
        return claim;
    }

    /** Whether the lease is held, which is recorded. */
    public boolean isHeld(long claim, Lease lease) {
        return isHeld(claim, lease::isHeld);
    }

    /** The same without a lease. */
    public boolean isHeld(long claim, BooleanSupplier held) {
        long now = System.nanoTime();
        boolean isHeld = held.getAsBoolean();
        if (isHeld) {
            lines.accept("held " + claim + " " + now);
        }
        return isHeld;
    }

    /** Records that a fence refused the token of a held lease. */
    public void refused(long claim) {
        lines.accept("refused " + claim + " " + System.nanoTime());
    }

    /** Holds the lease for at least two milliseconds or until it is lost, and returns whether it is still held. */
    public boolean hold(Lease lease) {
        return hold(lease, LEAST_NANOS);
    }

    /** Holds the lease for this long, and at least two milliseconds, or until it is lost, and returns whether it is still held. */
    public boolean hold(Lease lease, long nanos) {
        return hold(lease, Share.EXCLUSIVE, nanos);
    }

    /** The same with a share of the lock. */
    public boolean hold(Lease lease, Share share, long nanos) {
        return hold(granted(lease, share), nanos, lease::isHeld);
    }

    /** The same without a lease. */
    public boolean hold(String name, long token, long nanos, BooleanSupplier held) {
        return hold(name, Share.EXCLUSIVE, token, nanos, held);
    }

    /** The same with a share of the lock. */
    public boolean hold(String name, Share share, long token, long nanos, BooleanSupplier held) {
        return hold(granted(name, share, token), nanos, held);
    }

    private boolean hold(long claim, long nanos, BooleanSupplier held) {
        long end = System.nanoTime() + Math.max(nanos, LEAST_NANOS);
        boolean isHeld = isHeld(claim, held);
        while (isHeld && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
            isHeld = isHeld(claim, held);
        }
        return isHeld;
    }

    private static void append(OutputStream file, String line) {
        try {
            file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            end.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
