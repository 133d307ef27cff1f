package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.time.SuspendDetector;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all stores have in common: queueing, repeating an acquire until it is granted, renewing, ending a lease in time, and undoing
 * commands that were not answered. The engine keeps a {@link WaitQueue} for each name that this process holds or waits for.
 *
 * <p>Thread-safe; never blocks, unless {@link Lane#CALLER} does.
 */
public final class Engine {

    /** Maximum number of unanswered releases that are repeated without a caller: each costs about half a kilobyte. */
    static final int MAX_ORPHANS = 50_000;

    private static final Duration CLOSE = Duration.ofSeconds(2);
    /** A store releases a lock in some 20 us; a busy machine takes longer. */
    private static final Duration CLOSE_OF_EACH = Duration.ofNanos(100_000);

    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    private final EngineContext context;
    private final String holderName;
    private final Set<Capability> capabilities;
    private final TurnLimits turn;
    private final long tokenFloor;
    private final CoalescingTimer timer;
    private final SuspendDetector suspendDetector;
    private final NotificationSubscription notifications;
    private final ListenerNotifier listeners;
    private final Map<LockName, WaitQueue> queues = new ConcurrentHashMap<>();
    private final Set<ReleaseRetry> releases = ConcurrentHashMap.newKeySet();
    private final AtomicInteger orphans = new AtomicInteger();
    private final LeaseLog leaseLog;
    private final StoreAvailability availability;
    /** Commands without a reply, and releases that are repeated. The engine is settled when there are none. */
    private final AtomicInteger unsettled = new AtomicInteger();

    private volatile boolean closed;
    private volatile boolean abandoned;
    private volatile Runnable whenSettled = () -> {};

    /**
     * An idle engine.
     *
     * @param holderName what the store shows as the holder
     * @param storeName the store, for people: {@code the redis store of namespace 'app'}
     * @param capabilities what the store can do
     * @param turn how long local holders may have a lock one after the other before other processes have their turn
     * @param tokenFloor what every token of the store is to be greater than; 0 for no such floor
     */
    public Engine(
            EngineContext context,
            String holderName,
            String storeName,
            Set<Capability> capabilities,
            TurnLimits turn,
            long tokenFloor) {
        this.context = context;
        this.listeners = new ListenerNotifier(context.clock(), context.events());
        this.timer = new CoalescingTimer(context.clock(), context.timers());
        this.suspendDetector = new SuspendDetector(context.clock(), context.timers(), this::tickAll);
        this.leaseLog = new LeaseLog(context.log(), holderName, storeName, context.timers(), context.events());
        this.availability = new StoreAvailability(context.clock(), leaseLog);
        this.notifications =
                new NotificationSubscription(context.notifications(), context.timers(), this::notified, leaseLog);
        this.holderName = holderName;
        this.capabilities = Set.copyOf(capabilities);
        this.turn = turn;
        this.tokenFloor = tokenFloor;
    }

    /**
     * Acquires a lock.
     *
     * @param lane which thread sends the first attempt
     * @param callback gets the result
     * @return the waiter, which the caller can withdraw
     * @throws IllegalStateException if closed
     */
    public Waiter acquire(LockName name, LeaseOptions options, WaitPolicy policy, Lane lane, AcquireCallback callback) {
        while (true) {
            requireOpen();
            WaitQueue queue = queue(name);
            Waiter waiter = new Waiter(this, queue, options, policy, callback);
            try {
                boolean joined = false;
                DeferredActions actions = queue.begin();
                try {
                    joined = queue.join(waiter, lane, actions);
                } finally {
                    actions.run();
                }
                if (joined) {
                    if (!waiter.isWatched()) { // the attempt on its own thread was not granted
                        queue.watchForOutage(waiter);
                    }
                    return waiter;
                }
            } catch (RuntimeException | Error e) { // the caller has no waiter to withdraw
                waiter.abandon();
                throw e;
            }
        }
    }

    private WaitQueue queue(LockName name) {
        WaitQueue queue = queues.get(name);
        return queue != null ? queue : queues.computeIfAbsent(name, missing -> new WaitQueue(this, missing));
    }

    /** Tells this listener of every lease from now on. */
    public void addListener(LockListener listener) {
        listeners.add(listener);
    }

    /** Tells the lock listeners of a failover. */
    public void tell(FailoverEvent event) {
        listeners.put(listener -> listener.failover(event), true);
        listeners.tell();
    }

    /** Checks all leases now: some may end sooner than was known. */
    public void tickAll() {
        List.copyOf(queues.values()).forEach(WaitQueue::tick);
    }

    /** For how long a close is worth waiting for: two seconds, and one more for each 10,000 names that are held or waited for. */
    public Duration closeLimit() {
        return CLOSE.plus(CLOSE_OF_EACH.multipliedBy(queues.size()));
    }

    /**
     * Accepts no more callers, ends the waiters, and releases what is held, if need be again until {@link #closeLimit()} is over.
     *
     * @param settled called once nothing is outstanding
     */
    public void close(Runnable settled) {
        unsettled.incrementAndGet();
        closed = true;
        whenSettled = settled;
        Duration limit = closeLimit();
        leaseLog.closing(List.copyOf(queues.values()).stream()
                .flatMap(queue -> queue.close(limit).stream())
                .toList());
        notifications.close();
        settle();
    }

    /** Stops repeating releases, whose leases then expire, and tells the callers that wait for them. Later actions may be dropped. */
    public void abandon() {
        abandoned = true;
        List.copyOf(releases).forEach(ReleaseRetry::abandon);
        leaseLog.flush(); // the timers may be gone
    }

    /** The exception for calls after the close. */
    public static IllegalStateException closedException() {
        return new IllegalStateException("these locks are closed");
    }

    void requireOpen() {
        if (closed) {
            throw closedException();
        }
    }

    boolean isOpen() {
        return !closed;
    }

    // --- What the state machine asks.

    /** Whether each waiter has a place of its own in the store's queue. */
    boolean isStrict() {
        return turn.holders() == 1 && capabilities.contains(Capability.QUEUE);
    }

    TurnLimits turn() {
        return turn;
    }

    boolean hasNotifications() {
        return capabilities.contains(Capability.NOTIFICATIONS);
    }

    boolean hasListeners() {
        return listeners.hasListeners();
    }

    GrantValidity validity() {
        return context.validity();
    }

    LockCommand.Acquire acquireCommand(LockName name, AcquisitionId id, LeaseOptions options, boolean queues) {
        boolean place = queues && capabilities.contains(Capability.QUEUE);
        return new LockCommand.Acquire(name, id, options.length(), place, tokenFloor, holderName);
    }

    AcquisitionId newId() {
        return new AcquisitionId(context.random().getAsLong(), context.random().getAsLong());
    }

    Backoff newBackoff() {
        return new Backoff(context.random());
    }

    /** A timer that is not set. */
    CoalescingTimer.Alarm newTimer(Runnable event) {
        return timer.new Alarm(event);
    }

    void drop(WaitQueue queue) {
        queues.remove(queue.name(), queue);
    }

    /** Returns false if too many releases without a caller are registered. One with a minimum hold is always accepted. */
    boolean register(ReleaseRetry release) {
        unsettled.incrementAndGet();
        if (release.isOrphan() && orphans.incrementAndGet() > MAX_ORPHANS && !release.keepsMinimumHold()) {
            return false;
        }
        releases.add(release);
        if (abandoned) {
            release.abandon();
        }
        return true;
    }

    void unregister(ReleaseRetry release) {
        releases.remove(release);
        if (release.isOrphan()) {
            orphans.decrementAndGet();
        }
        settle();
    }

    /** Wraps the callback of a command that will be sent: the engine is not settled before the callback has returned. */
    Consumer<StoreResponse> expect(Consumer<StoreResponse> callback) {
        unsettled.incrementAndGet();
        return response -> {
            try {
                availability.replied(response);
                callback.accept(response);
            } finally {
                settle();
            }
        };
    }

    private void settle() {
        if (unsettled.decrementAndGet() == 0) {
            whenSettled.run();
        }
    }

    /** What operators see of the leases. */
    public LeaseLog log() {
        return leaseLog;
    }

    // --- What carries actions out.

    DualClockInstant now() {
        return context.clock().now();
    }

    StoreExecutor store() {
        return context.store();
    }

    ListenerNotifier listeners() {
        return listeners;
    }

    NotificationSubscription notifications() {
        return notifications;
    }

    Timers.Timer after(Duration delay, Runnable task) {
        return context.timers().after(delay, task);
    }

    void send(Lane lane, LockCommand command, Duration timeout, Consumer<StoreResponse> callback) {
        store().execute(lane, List.of(new StoreRequest(command, timeout, expect(callback))));
    }

    void count(Action.Count count) {
        switch (count) {
            case LEASE_BEGAN -> suspendDetector.begin();
            case LEASE_ENDED -> suspendDetector.end();
            case LISTENING_BEGAN -> notifications.begin();
            case LISTENING_ENDED -> notifications.end();
            default -> throw new AssertionError(count);
        }
    }

    void pushLoss(Consumer<LockLostException> listener, LockLostException loss) {
        context.losses().execute(() -> {
            try {
                listener.accept(loss);
            } catch (Throwable e) {
                log.error("a loss listener failed, which was told: {}", loss.getMessage(), e);
            }
        });
    }

    /** Delivered by the store. A notification without a name is for all names. */
    private void notified(Notification notification) {
        if (notification.name().isEmpty()) {
            List.copyOf(queues.values()).forEach(queue -> queue.requests().notified(notification.id()));
            return;
        }
        WaitQueue queue = queues.get(notification.name().get());
        if (queue != null) {
            queue.requests().notified(notification.id());
        }
    }
}
