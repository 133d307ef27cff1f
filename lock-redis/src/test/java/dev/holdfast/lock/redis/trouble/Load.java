package dev.holdfast.lock.redis.trouble;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.server.Awaiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Threads of several applications that take the same few locks from each other, until it ends. */
final class Load implements AutoCloseable {

    private final List<String> names;
    private final String heldOn;
    private final boolean alone;
    private final Witness witness = new Witness();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Locks> applications = new ArrayList<>();
    private final List<Future<Void>> workers = new ArrayList<>();
    private final AtomicInteger grants = new AtomicInteger();
    private final Queue<LockUnavailableException> unavailable = new ConcurrentLinkedQueue<>();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private volatile @Nullable Lease held;
    private final Random seeds;
    private volatile boolean over;

    /**
     * @param names the last of which is held on to, the others come and go
     * @param alone false if the store may forget a holder, who is told then; true if nobody may hold what somebody else holds
     */
    Load(List<String> names, boolean alone) {
        this.names = List.copyOf(names.subList(0, names.size() - 1));
        this.heldOn = names.get(names.size() - 1);
        this.alone = alone;
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        seeds = new Random(seed);
    }

    /** One more application, which this closes, with so many threads that come and go, and one that holds on. */
    void begin(Locks locks, int count) {
        applications.add(locks);
        for (int worker = 0; worker < count; worker++) {
            Random random = new Random(seeds.nextLong());
            workers.add(threads.submit(() -> comeAndGo(locks, random)));
        }
        workers.add(threads.submit(() -> holdOn(locks)));
    }

    /** Those that come and go. */
    List<String> names() {
        return names;
    }

    Witness witness() {
        return witness;
    }

    int grants() {
        return grants.get();
    }

    /** What was said to those who were told that nobody answers. */
    List<LockUnavailableException> unavailable() {
        return List.copyOf(unavailable);
    }

    /** How many leases were found to be lost by who held on. */
    int lost() {
        return lost.get();
    }

    /** Whether somebody holds on now, who will be counted if that is lost. */
    boolean isHeldOn() {
        Lease latest = held;
        return latest != null && latest.isHeld();
    }

    private Void comeAndGo(Locks locks, Random random) throws InterruptedException {
        while (!over) {
            String name = names.get(random.nextInt(names.size()));
            boolean patient = random.nextInt(3) > 0;
            try (Lease lease = patient
                    ? locks.named(name).acquire(Duration.ofSeconds(30))
                    : locks.named(name).tryAcquire().orElse(null)) {
                if (lease != null) {
                    see(lease);
                }
                LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(2)));
            } catch (LockUnavailableException e) {
                unavailable.add(e);
            }
        }
        return null;
    }

    /** Holds on, renewal by renewal, until it is lost; then begins anew. */
    private Void holdOn(Locks locks) throws InterruptedException {
        while (!over) {
            try (Lease lease = locks.named(heldOn).acquire(Duration.ofSeconds(30))) {
                see(lease);
                held = lease;
                lease.onLost(loss -> told.incrementAndGet());
                while (lease.isHeld() && !over) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
                if (!lease.isHeld()) {
                    lost.incrementAndGet();
                }
            } catch (LockUnavailableException e) {
                unavailable.add(e);
            } catch (LockTimeoutException e) {
                // the other one holds on
            }
        }
        return null;
    }

    private void see(Lease lease) {
        if (alone) {
            witness.sees(lease);
        } else {
            witness.seesToken(lease);
        }
        grants.incrementAndGet();
    }

    /** Ends the work; whatever went wrong in a thread goes wrong here. */
    void end() throws Exception {
        over = true;
        for (Future<Void> each : workers) {
            each.get(1, TimeUnit.MINUTES);
        }
        Awaiting.until("every loss is told, and once", () -> told.get() == lost.get());
        System.out.println(grants + " grants, " + unavailable.size() + " unavailable, " + lost + " lost");
    }

    @Override
    public void close() {
        over = true;
        threads.shutdownNow();
        applications.forEach(Locks::close);
    }
}
