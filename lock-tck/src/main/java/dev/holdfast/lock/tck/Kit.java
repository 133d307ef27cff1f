package dev.holdfast.lock.tck;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The fixture of one test: its own namespace, and stores that are closed after the test. */
final class Kit implements AutoCloseable {

    /** The time for which a check is repeated on a machine that is too slow to show anything. */
    static final Duration REPEAT_LIMIT = Duration.ofMinutes(1);

    /** The same for a check that has to be over within a time of the store's, and which only a very slow machine reaches. */
    static final Duration SLOW_LIMIT = Duration.ofMinutes(3);

    /** A lease that no test outlives. */
    static final Duration LONG = Duration.ofMinutes(5);

    /** A lease that counts as short at stores that distinguish short ones, and that a few commands do not outlive. */
    static final Duration A_MINUTE = Duration.ofMinutes(1);

    /** The pause before a store that was unavailable is called again. */
    static final Duration RETRY = Duration.ofMillis(50);

    /** A lease whose end a test waits for. */
    static final Duration SHORT = Duration.ofMillis(500);

    /** The tolerance of times that a store lists: it may count in milliseconds, and read its clock more than once. */
    static final Duration TOLERANCE = Duration.ofMillis(50);

    /** The greatest difference between two clocks; another time zone differs by more. */
    static final Duration CLOCK_SKEW = Duration.ofMinutes(10);

    /** The least number of such attempts, as a single one may take longer. */
    private static final int ATTEMPTS = 3;

    /** The number of restarts of a store if none was noticed. */
    private static final int RESTARTS = 10;

    /** The least number of prunings before a rule finds that something stays. */
    private static final int PRUNINGS = 3;

    /** Enough locks to show a fault that affects one in ten. */
    static final int SAMPLE = 40;

    /** More locks than a page of a listing has. */
    static final int MANY = 1_100;

    /** More waiters, holders or tombstones of a lock than a store may read at a time. */
    static final int CROWD = 150;

    /** The lock of a test that needs only one. */
    static final LockName JOB = new LockName("job");

    private static final SecureRandom RANDOM = new SecureRandom();

    final LockStoreContract contract;
    final Namespace namespace = new Namespace(String.format(Locale.ROOT, "tck-%016x", RANDOM.nextLong()));
    private final ConformanceRun run;
    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
    private final ClockWatch clocks = new ClockWatch();
    private final CallTrace trace = new CallTrace();
    private @Nullable StoreClient client;

    Kit(LockStoreContract contract, ConformanceRun run) {
        this.contract = contract;
        this.run = run;
    }

    /** The number of histories that a rule records, if it is configured; otherwise the speed of the store decides. */
    OptionalInt histories() {
        return run.histories();
    }

    /** Keeps for the report the extent of a rule, which depends on the speed of the store. */
    void did(Rule rule, String what) {
        run.did(rule, what);
    }

    /** Of the rule's time. */
    ClockWatch clocks() {
        return clocks;
    }

    /** The calls of the rule. */
    CallTrace trace() {
        return trace;
    }

    /** The store under test, opened by the first call. */
    StoreClient client() {
        if (client == null) {
            client = anotherClient();
        }
        return client;
    }

    /** The store under test, if it has these capabilities. */
    StoreClient clientOfStoreWith(Capability... needed) {
        StoreClient opened = client();
        for (Capability capability : needed) {
            if (!opened.store().capabilities().contains(capability)) {
                throw LockStoreContract.notPossible("this store does not have the capability " + capability);
            }
        }
        return opened;
    }

    StoreClient anotherClient() {
        return clientOf(unhurried(), namespace);
    }

    /** The configuration with a long time-out: some drivers limit each reply only by it, whatever timeout a call has. */
    private Properties unhurried() {
        Properties all = new Properties();
        all.putAll(contract.configuration());
        if (!all.containsKey("lock.lease")) {
            all.setProperty("lock.lease", LONG.toMillis() + "ms");
            all.putIfAbsent("lock.call-timeout", longCallTimeout());
        }
        return all;
    }

    /** As long as a lease of {@link #LONG} allows. */
    private String longCallTimeout() {
        return Durations.min(contract.patience(), LONG.dividedBy(3)).toMillis() + "ms";
    }

    /** A client of the store, opened as read-only tools open it. */
    StoreClient clientOfExisting() {
        LockConfiguration configured = LockConfiguration.of(in(namespace, unhurried()));
        return closeAfterwards(new StoreClient(open(configured::openExistingStore), contract.patience(), false, trace));
    }

    /** Another client, for use around a restart: repeats commands while the store is unavailable. */
    StoreClient patientClient() {
        return clientOf(unhurried(), namespace, true);
    }

    StoreClient clientIn(Namespace otherNamespace) {
        return clientOf(unhurried(), otherNamespace);
    }

    StoreClient clientOf(Properties configuration, Namespace ofClient) {
        return clientOf(configuration, ofClient, false);
    }

    private StoreClient clientOf(Properties configuration, Namespace ofClient, boolean mayRecover) {
        Properties all = in(ofClient, configuration);
        StoreClient opened = closeAfterwards(new StoreClient(
                open(() -> LockConfiguration.of(all).openStore()), contract.patience(), mayRecover, trace));
        run.opened(contract, opened.store());
        if (notifiesWithoutAQueue(opened.store().capabilities())) {
            throw new RuleBroken(
                    "the store declares NOTIFICATIONS without QUEUE: notifications are for the first waiter of a"
                            + " queue, so declare both capabilities, or neither");
        }
        return opened;
    }

    private static boolean notifiesWithoutAQueue(Set<Capability> capabilities) {
        return capabilities.contains(Capability.NOTIFICATIONS) && !capabilities.contains(Capability.QUEUE);
    }

    /** Repeats the opening for a while, as a store on a slow machine may be reachable later. */
    private <T> T open(Supplier<T> opening) {
        long start = System.nanoTime();
        while (true) {
            try {
                return opening.get();
            } catch (LockUnavailableException e) {
                if (System.nanoTime() - start > contract.patience().toNanos()) {
                    throw e;
                }
                pause(RETRY);
            }
        }
    }

    /** Acquires a lock that becomes free at some time, and repeats that while the store is unavailable. */
    Lease acquire(DistributedLock lock) throws InterruptedException {
        return acquire(lock, contract.patience());
    }

    /** The same with a limit. */
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
                pause(RETRY);
            }
        }
    }

    /** Opens locks as an application does, with leases of this length. */
    Locks locks(Duration lease) {
        return locks(contract.configuration(), lease);
    }

    Locks locks(Properties configuration, Duration lease) {
        return closeAfterwards(open(() -> Locks.open(forLocks(configuration, lease))));
    }

    /** The same on a store that the test has opened. */
    Locks locks(LockStore store, Duration lease) {
        return closeAfterwards(Locks.open(store, forLocks(contract.configuration(), lease)));
    }

    Properties forLocks(Properties configuration, Duration lease) {
        Properties all = in(namespace, configuration);
        all.setProperty("lock.lease", lease.toMillis() + "ms");
        if (lease.compareTo(LONG) >= 0) {
            all.putIfAbsent("lock.call-timeout", longCallTimeout()); // no rule tests a slow machine
        }
        return all;
    }

    static Properties in(Namespace namespace, Properties configuration) {
        Properties all = new Properties();
        all.putAll(configuration);
        all.setProperty("lock.namespace", namespace.value());
        return all;
    }

    /** Subscribes to notifications, and waits until the subscription is in effect. */
    NotificationRecorder subscribe(StoreClient client) {
        NotificationRecorder subscription = closeAfterwards(new NotificationRecorder(client));
        await("the subscription begins with ANY", subscription::receivedAny);
        return subscription;
    }

    <T extends AutoCloseable> T closeAfterwards(T resource) {
        toClose.push(resource);
        return resource;
    }

    static AcquisitionId id() {
        return new AcquisitionId(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Waits until the store answers this command again, each time within the timeout. */
    void awaitAvailable(StoreClient client, LockCommand command, Duration timeout) {
        await(
                "the store is available again",
                () -> !(client.tryExecute(command, timeout) instanceof LockReply.Unavailable));
    }

    /** Waits until a condition is true; the rule is broken if it never is. */
    void await(String condition, BooleanSupplier isTrue) {
        long start = System.nanoTime();
        while (!isTrue.getAsBoolean()) {
            if (System.nanoTime() - start > contract.patience().toNanos()) {
                throw new RuleBroken("timed out after " + contract.patience() + " waiting until " + condition);
            }
            pause(Duration.ofMillis(10));
        }
    }

    /**
     * Checks what must be true within a claim window. A failed check that took longer than the window shows nothing, and is
     * repeated with other locks for three minutes, and twice at least.
     */
    void withinClaimWindow(Consumer<LockName> check) {
        within(QueueTimes.CLAIM_WINDOW, check);
    }

    /**
     * Checks what must be true while waiters that do not ask again have their places, in the same way. A check that waits
     * for its patience first calls {@link #expectPlaceLasted}.
     */
    void withinWaiterTtl(Consumer<LockName> check) {
        within(QueueTimes.WAITER_TTL, check);
    }

    /** Called after an event: it shows nothing about a waiter whose place may have expired before it. */
    void expectPlaceLasted(String event, AcquisitionId waiter) {
        Duration sinceAsked = trace.sinceAsked(waiter);
        if (sinceAsked.toNanos() >= slewed(QueueTimes.WAITER_TTL)) {
            throw new RuleBroken.TooSlow(event + " was over " + sinceAsked + " after the last acquire of the waiter "
                    + StoreClient.owner(waiter) + ", whose place may have expired before");
        }
    }

    private void within(Duration limit, Consumer<LockName> check) {
        long first = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            long start = System.nanoTime();
            try {
                check.accept(new LockName("job " + attempt));
                return;
            } catch (RuleBroken e) {
                long now = System.nanoTime();
                boolean late = now - start >= slewed(limit)
                        && now - start < contract.patience().toNanos();
                if (!(late || e instanceof RuleBroken.TooSlow)) {
                    throw e;
                } else if (attempt >= ATTEMPTS && now - first > SLOW_LIMIT.toNanos()) {
                    throw new RuleBroken(
                            "every attempt took longer than " + limit
                                    + ", so that it shows nothing; at the end of the last " + e.getMessage(),
                            e);
                }
            }
        }
    }

    /** Restarts the store until a call finds it unavailable meanwhile. */
    void restart() {
        StoreClient witness = anotherClient();
        for (int attempt = 0; attempt < RESTARTS; attempt++) {
            try (OutageProbe probe = new OutageProbe(witness)) {
                contract.restart();
                if (probe.stop()) {
                    return;
                }
            }
        }
        throw new RuleBroken(
                "the store was never unavailable, so restart() did not restart it; if it cannot be restarted,"
                        + " throw notPossible(\"the reason\")");
    }

    /** Checks that these locks, which are held, are counted as kept. */
    void expectKept(List<HeldLock> inUse) {
        long kept = contract.namesKept(namespace);
        if (kept < inUse.size()) {
            throw new RuleBroken(inUse.size() + " locks are held in the namespace " + namespace + ", " + trace.names()
                    + " among them, but namesKept() is " + kept);
        }
    }

    /** Waits until the store has pruned everything but the names in use; some rounds, however long prune() itself takes. */
    void awaitPruning(int inUse) {
        long start = System.nanoTime();
        for (int round = 1; ; round++) {
            contract.prune(namespace);
            long kept = contract.namesKept(namespace);
            if (kept == inUse) {
                return;
            }
            if (round >= PRUNINGS
                    && System.nanoTime() - start > contract.patience().toNanos()) {
                throw new RuleBroken("in the namespace " + namespace + " the rule used the locks " + trace.names()
                        + ", of which " + inUse + (inUse == 1 ? " is" : " are") + " in use, but namesKept() is " + kept
                        + " after prune() was called " + round + " times in " + contract.patience());
            }
            pause(Duration.ofMillis(10));
        }
    }

    /** The lower bound on this machine's clock of a duration on the store's: a thousandth less. */
    static long slewed(Duration duration) {
        return duration.toNanos() - duration.toNanos() / 1000;
    }

    /** Waits at least this long. */
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
                    failure = new IllegalStateException("a resource of the test could not be closed", e);
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
