package dev.holdfast.lock.testing;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What contenders do: they acquire one of these locks with one of these shares, by chance, hold it for a moment, and release it.
 *
 * @param shares a share that is in the list twice is asked for twice as often
 * @param isKept whether a lock that was acquired is held until the process ends
 */
public record Contention(List<String> names, List<Share> shares, boolean isKept) {

    private static final Duration ACQUIRE_TIMEOUT = Duration.ofSeconds(30);
    private static final long LONGEST_HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Readers, writers and permits of three. */
    private static final List<Share> MIXED =
            List.of(Share.EXCLUSIVE, Share.shared(), Share.shared(), new Share(1, 3), new Share(2, 3), new Share(3, 3));

    /** For exclusive locks. */
    public static Contention exclusive(List<String> names) {
        return new Contention(names, List.of(Share.EXCLUSIVE), false);
    }

    /** Of readers, writers and permits of three, on the same locks. */
    public static Contention mixed(List<String> names) {
        return new Contention(names, MIXED, false);
    }

    /** Of a holder that acquires this share once and keeps it. */
    public static Contention kept(String name, Share share) {
        return new Contention(List.of(name), List.of(share), true);
    }

    /** Tries to acquire one of the locks, waiting or not, and releases it. */
    public void takeOnce(Locks locks, Claims claims, Random random) throws InterruptedException {
        String name = names.get(random.nextInt(names.size()));
        Share share = shares.get(random.nextInt(shares.size()));
        claims.ask();
        try (Lease lease = acquire(lock(locks, name, share), random)) {
            if (lease != null) {
                claims.hold(lease, share, isKept ? Long.MAX_VALUE / 2 : random.nextLong(LONGEST_HOLD_NANOS));
            }
        }
    }

    /** One of the shares of {@link #mixed}. */
    public static Share mixedShare(Random random) {
        return MIXED.get(random.nextInt(MIXED.size()));
    }

    /** What an application uses to acquire this share. */
    public static DistributedLock lock(Locks locks, String name, Share share) {
        if (share.isExclusive()) {
            return locks.named(name);
        }
        return share.kind() == LeaseKind.SHARED
                ? locks.named(name).shared()
                : locks.semaphore(name, share.limit()).permits(share.permits());
    }

    private static @Nullable Lease acquire(DistributedLock lock, Random random) throws InterruptedException {
        if (random.nextInt(3) == 0) {
            return lock.tryAcquire().orElse(null);
        }
        try {
            return lock.acquire(ACQUIRE_TIMEOUT);
        } catch (LockTimeoutException e) {
            return null;
        }
    }

    /** As text for the command line of a process. */
    public String toText() {
        List<String> lines = new ArrayList<>(List.of(Boolean.toString(isKept)));
        shares.forEach(share -> lines.add(share.permits() + "/" + share.limit()));
        lines.add("");
        lines.addAll(names);
        return String.join("\n", lines);
    }

    public static Contention parse(String text) {
        List<String> lines = Arrays.asList(text.split("\n", -1));
        int end = lines.indexOf("");
        List<Share> shares = lines.subList(1, end).stream()
                .map(line -> line.split("/", -1))
                .map(words -> new Share(Integer.parseInt(words[0]), Integer.parseInt(words[1])))
                .toList();
        return new Contention(lines.subList(end + 1, lines.size()), shares, Boolean.parseBoolean(lines.get(0)));
    }
}
