package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.internal.engine.Transitions.DeferredActions;
import dev.holdfast.lock.internal.state.EngineSettings;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.StoreLease;
import dev.holdfast.lock.internal.state.TurnLimits;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.state.WaitQueue;
import dev.holdfast.lock.internal.time.SuspendDetector;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What all stores have in common: queueing, repeating an acquire until it is granted, renewing, ending a lease in time, and undoing
 * commands that were not answered. The engine keeps a {@link WaitQueue} for each name that this process holds or waits for (and one for
 * each acquisition of a shared or counted lock), and passes on what happens: calls, and notifications of the store.
 *
 * <p>Thread-safe; never blocks, unless {@link Lane#CALLER} does.
 */
public final class Engine {

    private static final Duration CLOSE = Duration.ofSeconds(2);
    /** A store releases a lock in some 20 us; a busy machine takes longer. */
    private static final Duration CLOSE_OF_EACH = Duration.ofNanos(100_000);

    private final EngineSettings settings;
    private final String storeName;
    private final WaitQueues queues;
    private final LeaseLog leaseLog;
    private final ListenerNotifier listeners;
    private final NotificationSubscription notifications;
    private final StoreCalls calls;
    private final Releases releases;
    private final Transitions transitions;

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
        this.settings = new EngineSettings(
                holderName, Set.copyOf(capabilities), turn, tokenFloor, context.validity(), context.random());
        this.queues = new WaitQueues(settings);
        this.storeName = storeName;
        this.listeners = new ListenerNotifier(context.clock(), context.events());
        this.leaseLog = new LeaseLog(context.log(), holderName, storeName, context.timers(), context.events());
        this.notifications =
                new NotificationSubscription(context.notifications(), context.timers(), this::notified, leaseLog);
        this.calls = new StoreCalls(context.store(), new StoreAvailability(context.clock(), leaseLog));
        this.releases = new Releases(context.clock(), context.timers(), settings, calls, leaseLog);
        this.transitions = new Transitions(
                context,
                calls,
                releases,
                listeners,
                leaseLog,
                notifications,
                new SuspendDetector(context.clock(), context.timers(), this::tickAll),
                queues::remove);
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
            WaitQueue queue = queues.forShare(name, options.share());
            Waiter waiter = new Waiter(transitions, queue, options, policy, callback);
            try {
                boolean joined = false;
                DeferredActions actions = transitions.begin(queue);
                try {
                    requireOpen(); // under the lock of the name: the close, which needs it, ends those that have joined
                    joined = queue.join(waiter, lane, actions);
                } finally {
                    actions.run();
                }
                if (joined) {
                    if (!waiter.isServedOrWatched()) { // the attempt on its own thread was not granted
                        transitions.happen(queue, transition -> queue.watchForOutage(waiter, transition));
                    }
                    return waiter;
                }
            } catch (RuntimeException | Error e) { // the caller has no waiter to withdraw
                waiter.abandon();
                throw e;
            }
        }
    }

    /**
     * Whether the store has shared and counted locks.
     *
     * @param name of the lock that a caller wants
     * @throws UnsupportedOperationException if it keeps exclusive locks only
     */
    public void requireShares(LockName name) {
        if (!settings.capabilities().contains(Capability.SHARES)) {
            throw new UnsupportedOperationException("'" + name + "' cannot be shared or counted: " + storeName
                    + " keeps exclusive locks only (it does not have the capability SHARES)");
        }
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
        forEachQueue(queue -> transitions.happen(queue, queue::tick));
    }

    /** Delivered by the store. A notification without a name is for all names. */
    private void notified(Notification notification) {
        if (notification.name().isEmpty()) {
            forEachQueue(queue -> notified(queue, notification));
            return;
        }
        queues.forEach(notification.name().get(), queue -> notified(queue, notification));
    }

    /** A failure with one name, such as a lack of memory, does not keep the event from the others. */
    private void forEachQueue(Consumer<WaitQueue> event) {
        FirstFailure failure = new FirstFailure();
        queues.all().forEach(queue -> failure.of(() -> event.accept(queue)));
        failure.rethrow();
    }

    private void notified(WaitQueue queue, Notification notification) {
        transitions.happen(queue, transition -> queue.notified(notification.id(), transition));
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
        calls.expect();
        transitions.close();
        calls.whenSettled(settled);
        Duration limit = closeLimit();
        List<StoreLease> held = new ArrayList<>();
        try {
            forEachQueue(queue -> transitions.happen(
                    queue, transition -> queue.close(limit, transition).ifPresent(held::add)));
        } finally {
            leaseLog.closing(held);
            notifications.close();
            calls.settle();
        }
    }

    /** Stops repeating releases, whose leases then expire, and tells the callers that wait for them. Later actions may be dropped. */
    public void abandon() {
        releases.abandon();
        leaseLog.flush(); // the timers may be gone
    }

    /** The exception for calls after the close. */
    public static IllegalStateException closedException() {
        return new IllegalStateException("these locks are closed");
    }

    private void requireOpen() {
        if (!transitions.isOpen()) {
            throw closedException();
        }
    }

    /** What operators see of the leases. */
    public LeaseLog log() {
        return leaseLog;
    }
}
