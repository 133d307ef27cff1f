package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.Contention;
import dev.holdfast.lock.testing.LocksOpener;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A process whose threads contend with each other and with other processes for locks, and hold them for a moment or past some
 * renewals, until it is told to stop. Says {@code ready}. Arguments: see {@link Worker}; URL, user and password of the fence; a
 * seed; the locks. Of locks whose names begin with {@value #MIXED} it acquires those of {@link Contention#mixedShare}; a fence is entered by
 * exclusive leases only.
 */
final class ContendingProcess implements AutoCloseable {

    static final String MIXED = "mixed";

    private static final int THREADS = 3;
    private static final int ONE_IN = 10;
    private static final Duration LONG = Duration.ofSeconds(4);
    private static final Duration SHORT = Duration.ofMillis(30);

    private final Locks locks;
    private final Path claims;
    private final String[] fence;
    private final List<String> names;
    private volatile boolean over;

    private ContendingProcess(String[] arguments) throws IOException {
        locks = LocksOpener.open(Path.of(arguments[0]));
        claims = Path.of(arguments[1]);
        fence = new String[] {arguments[2], arguments[3], arguments[4]};
        names = List.of(arguments).subList(6, arguments.length);
    }

    @SuppressWarnings("SystemOut") // a pipe to the test that started this process
    public static void main(String[] arguments) throws Exception {
        try (ContendingProcess crowd = new ContendingProcess(arguments)) {
            Random seeds = new Random(Long.parseLong(arguments[5]));
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(seeds.nextLong());
                String file = thread + "-" + crowd.claims.getFileName();
                all.add(threads.submit(() -> crowd.comeAndGo(random, file)));
            }
            System.out.println("ready " + System.nanoTime());
            int unused = System.in.read();
            crowd.over = true;
            for (Future<?> each : all) {
                each.get();
            }
            threads.shutdown();
        }
    }

    private @Nullable Void comeAndGo(Random random, String file) throws Exception {
        try (Claims claims = Claims.to(this.claims.resolveSibling(file))) {
            while (!over) {
                String name = names.get(random.nextInt(names.size()));
                Share share = name.startsWith(MIXED) ? Contention.mixedShare(random) : Share.EXCLUSIVE;
                claims.ask();
                try (Lease lease =
                        ask(Contention.lock(locks, name, share), random).orElse(null)) {
                    if (lease != null) {
                        hold(lease, share, claims, random);
                    }
                } catch (LockUnavailableException e) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                }
            }
        }
        return null;
    }

    private static Optional<Lease> ask(DistributedLock lock, Random random) throws InterruptedException {
        return random.nextInt(4) == 0 ? lock.tryAcquire() : lock.tryAcquire(Duration.ofSeconds(5));
    }

    private void hold(Lease lease, Share share, Claims claims, Random random) {
        long claim = claims.granted(lease, share);
        Duration most = random.nextInt(ONE_IN) == 0 ? LONG : SHORT;
        long end = System.nanoTime() + random.nextLong(most.toNanos());
        boolean isHeld = claims.isHeld(claim, lease);
        if (isHeld && share.isExclusive() && !passes(lease) && claims.isHeld(claim, lease)) {
            claims.refused(claim);
        }
        while (isHeld && end - System.nanoTime() > 0 && !over) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            isHeld = claims.isHeld(claim, lease);
        }
    }

    /** Where the fence does not answer, nothing is known. */
    private boolean passes(Lease lease) {
        try (Connection connection = DriverManager.getConnection(fence[0], fence[1], fence[2])) {
            return Fence.passes(connection, lease.name(), lease.fencingToken());
        } catch (SQLException e) {
            return true;
        }
    }

    @Override
    public void close() {
        locks.close();
    }
}
