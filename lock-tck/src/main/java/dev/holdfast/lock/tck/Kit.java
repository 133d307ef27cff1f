package dev.holdfast.lock.tck;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.Opening;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.QueueTimes;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one test works with: a namespace of its own, and stores that are closed after it. */
final class Kit implements AutoCloseable {

    /** For how long a machine may be too slow for what is to be shown. A hang, not a slow machine. */
    static final Duration HANG = Duration.ofMinutes(1);

    /** A lease that no test outlives. */
    static final Duration LONG = Duration.ofMinutes(5);

    /** When to ask again whoever could not answer. */
    static final Duration SOON = Duration.ofMillis(50);

    /** A lease whose end a test waits for. */
    static final Duration SHORT = Duration.ofMillis(500);

    /** What a store may be off in what it shows: it may count in milliseconds, and read its clock more than once. */
    static final Duration ROUGHLY = Duration.ofMillis(50);

    /** What two clocks may differ by; another time zone is further away. */
    static final Duration CLOCKS = Duration.ofMinutes(10);

    /** How often a store is restarted without anything that could be noticed. */
    private static final int RESTARTS = 10;

    /** More locks than any page has. */
    static final int MANY = 1_100;

    /** The lock that a test is about, unless it needs several. */
    static final LockName JOB = new LockName("job");

    private static final SecureRandom RANDOM = new SecureRandom();

    final LockStoreContract contract;
    final Namespace namespace = new Namespace(String.format("tck-%016x", RANDOM.nextLong()));
    private final KitRun run;
    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
    private @Nullable Client client;

    Kit(LockStoreContract contract, KitRun run) {
        this.contract = contract;
        this.run = run;
    }

    /** The store under test, opened when it is first asked for. */
    Client client() {
        if (client == null) {
            client = anotherClient();
        }
        return client;
    }

    /** The store under test, if it can do this. */
    Client clientOfStoreWith(Capability... needed) {
        Client itsClient = client();
        for (Capability capability : needed) {
            if (!itsClient.store().capabilities().contains(capability)) {
                throw LockStoreContract.notPossible("this store does not have the capability " + capability);
            }
        }
        return itsClient;
    }

    Client anotherClient() {
        return clientOf(contract.configuration(), namespace);
    }

    /** Another one, around a restart: what the store cannot answer for a while it is asked again. */
    Client patientClient() {
        return clientOf(contract.configuration(), namespace, true);
    }

    Client clientIn(Namespace otherNamespace) {
        return clientOf(contract.configuration(), otherNamespace);
    }

    Client clientOf(Properties configuration, Namespace itsNamespace) {
        return clientOf(configuration, itsNamespace, false);
    }

    private Client clientOf(Properties configuration, Namespace itsNamespace, boolean mayRecover) {
        Properties all = in(itsNamespace, configuration);
        Client opened =
                closeAfterwards(new Client(open(() -> Opening.bareStore(all)), contract.patience(), mayRecover));
        run.opened(contract, opened.store());
        return opened;
    }

    /** A store that cannot be reached for a while, as on a slow machine, can be reached later. */
    private <T> T open(Supplier<T> opening) {
        long start = System.nanoTime();
        while (true) {
            try {
                return opening.get();
            } catch (LockUnavailableException e) {
                if (System.nanoTime() - start > contract.patience().toNanos()) {
                    throw e;
                }
                pause(SOON);
            }
        }
    }

    /** Acquires what becomes free sooner or later; a store that is silent for a while is asked again. */
    Lease acquire(DistributedLock lock) throws InterruptedException {
        return acquire(lock, contract.patience());
    }

    /** As {@link #acquire(DistributedLock)}, for as long as this. */
    static Lease acquire(DistributedLock lock, Duration wait) throws InterruptedException {
        long end = System.nanoTime() + wait.toNanos();
        while (true) {
            Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
            try {
                return lock.acquire(left);
            } catch (LockUnavailableException e) {
                if (System.nanoTime() - end >= 0) {
                    throw e;
                }
                pause(SOON);
            }
        }
    }

    /** What an application opens, with leases of this length. */
    Locks locks(Duration lease) {
        return locks(contract.configuration(), lease);
    }

    Locks locks(Properties configuration, Duration lease) {
        return closeAfterwards(open(() -> Locks.open(forLocks(configuration, lease))));
    }

    /** The same on a store that the test has made. */
    Locks locks(LockStore store, Duration lease) {
        return closeAfterwards(Locks.open(store, forLocks(contract.configuration(), lease)));
    }

    Properties forLocks(Properties configuration, Duration lease) {
        Properties all = in(namespace, configuration);
        all.setProperty("lock.lease", lease.toMillis() + "ms");
        return all;
    }

    static Properties in(Namespace namespace, Properties configuration) {
        Properties all = new Properties();
        all.putAll(configuration);
        all.setProperty("lock.namespace", namespace.value());
        return all;
    }

    /** Signals that have begun. */
    Subscription subscribe(Client to) {
        Subscription subscription = closeAfterwards(new Subscription(to.store()));
        await("signals begin with ANY", subscription::heardAny);
        return subscription;
    }

    <T extends AutoCloseable> T closeAfterwards(T resource) {
        toClose.push(resource);
        return resource;
    }

    static AcquisitionId id() {
        return new AcquisitionId(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Waits until it is so; if it never is, the rule is broken. */
    void await(String what, BooleanSupplier isSo) {
        long start = System.nanoTime();
        while (!isSo.getAsBoolean()) {
            if (System.nanoTime() - start > contract.patience().toNanos()) {
                throw new Broken("waited " + contract.patience() + " in vain until " + what);
            }
            pause(Duration.ofMillis(10));
        }
    }

    /**
     * Checks what is so while a free lock is kept for the first in its queue. What took longer than that proves nothing and is
     * checked anew, with another lock, unless it takes so long that something hangs.
     */
    void withinAReservation(Consumer<LockName> check) {
        long first = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            long start = System.nanoTime();
            try {
                check.accept(new LockName("job " + attempt));
                return;
            } catch (Broken e) {
                long now = System.nanoTime();
                boolean late = now - start >= slewed(QueueTimes.RESERVATION)
                        && now - start < contract.patience().toNanos();
                if (!(late || e instanceof TooSlow) || now - first > HANG.toNanos()) {
                    throw e;
                }
            }
        }
    }

    /** Restarts the store, which answers nothing meanwhile: if no call has met that, it is restarted once more. */
    void restart() {
        Client witness = anotherClient();
        for (int attempt = 0; attempt < RESTARTS; attempt++) {
            try (Outage outage = new Outage(witness)) {
                contract.restart();
                if (outage.wasSeen()) {
                    return;
                }
            }
        }
        throw new Broken(
                "the store answered all the while: restart() restarts nothing; if nothing can be restarted it has"
                        + " to throw notPossible(\"why\")");
    }

    /** That these locks, which are in use, are counted as kept. */
    void expectKept(List<Held> inUse) {
        long kept = contract.namesKept(namespace);
        if (kept < inUse.size()) {
            throw new Broken(inUse.size() + " locks are held, but namesKept() is " + kept);
        }
    }

    /** That of what is not in use nothing is kept once the store has pruned it. */
    void awaitPruning(int inUse) {
        await("of what is kept only " + inUse + " names in use are left", () -> {
            contract.prune(namespace);
            return contract.namesKept(namespace) == inUse;
        });
    }

    /** What the clock of the store may make of a duration here: a thousandth less. */
    static long slewed(Duration duration) {
        return duration.toNanos() - duration.toNanos() / 1000;
    }

    /** On one of its own: the common pool may have one thread only, and somebody else may keep it. */
    static void onAThread(Runnable task) {
        Thread thread = new Thread(task, "kit");
        thread.setDaemon(true);
        thread.start();
    }

    /** At least this long. */
    static void pause(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        while (!toClose.isEmpty()) {
            try {
                toClose.pop().close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = new IllegalStateException("what the test opened could not be closed", e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
