package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.time.SuspendDetector;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import dev.holdfast.lock.spi.regime.GrantValidity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every store would otherwise repeat: queueing, asking until granted, renewing, ending a lease in time, and undoing what
 * was not answered. It keeps a {@link WaitQueue} for each name that somebody here holds or waits for, and starts nothing of its own
 * accord.
 *
 * <p>Thread-safe; never blocks, unless {@link StoreExecutor.Lane#CALLER} does.
 */
public final class Engine {

    /** So many releases that nothing waits for are repeated at a time: each costs about half a kilobyte. */
    static final int MOST_ORPHANS = 50_000;

    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    private final EngineContext outside;
    private final String owner;
    private final Set<Capability> abilities;
    private final int handoff;
    private final long floor;
    private final CoalescingTimer rounds;
    private final SuspendDetector clockWatch;
    private final NotificationSubscription listening;
    private final ListenerNotifier events;
    private final Map<LockName, WaitQueue> lines = new ConcurrentHashMap<>();
    private final Set<ReleaseRetry> releasings = ConcurrentHashMap.newKeySet();
    private final AtomicInteger orphans = new AtomicInteger();
    private final ExpiryWarnings leftToExpire;
    /** Steps that are to be or were sent, and releases, whose outcome must be known before the engine is settled. */
    private final AtomicInteger unsettled = new AtomicInteger();

    private volatile boolean closed;
    private volatile boolean abandoned;
    private volatile Runnable whenSettled = () -> {};

    /**
     * An engine with nothing going on.
     *
     * @param owner what the store is told about who asks
     * @param abilities what the store can do
     * @param handoff how many of this process may hold a lock one after the other before others have their turn; 1 to 256
     * @param floor what every token of the store is to be greater than; 0 for no such floor
     */
    public Engine(EngineContext outside, String owner, Set<Capability> abilities, int handoff, long floor) {
        this.outside = outside;
        this.events = new ListenerNotifier(outside.clock(), outside.events());
        this.leftToExpire = new ExpiryWarnings(outside.timers());
        this.rounds = new CoalescingTimer(outside.clock(), outside.timers());
        this.clockWatch = new SuspendDetector(outside.clock(), outside.timers(), this::tickAll);
        this.listening = new NotificationSubscription(outside.signals(), outside.timers(), this::signalled);
        this.owner = owner;
        this.abilities = Set.copyOf(abilities);
        this.handoff = handoff;
        this.floor = floor;
    }

    /**
     * Asks for a lock.
     *
     * @param lane which thread carries the first attempt out
     * @param asker gets the outcome
     * @return what to withdraw by
     * @throws IllegalStateException if closed
     */
    public Waiter ask(
            LockName name, LeaseOptions terms, WaitPolicy patience, StoreExecutor.Lane lane, AcquireCallback asker) {
        while (true) {
            requireOpen();
            WaitQueue line = lines.computeIfAbsent(name, anyName -> new WaitQueue(this, anyName));
            Waiter waiter = new Waiter(this, line, terms, patience, asker);
            try {
                if (line.join(waiter, lane)) {
                    if (!waiter.isSeenTo()) { // what its own thread has asked was not granted
                        line.limitSilence(waiter);
                    }
                    return waiter;
                }
            } catch (RuntimeException | Error e) { // nobody will ever withdraw it
                waiter.abandon();
                throw e;
            }
        }
    }

    /** Tells this listener of every lease from now on. */
    public void addListener(LockListener listener) {
        events.add(listener);
    }

    /**
     * Takes no more questions, ends those that wait, and releases what is held.
     *
     * @param settled called once nothing is outstanding any more
     */
    public void close(Runnable settled) {
        unsettled.incrementAndGet();
        closed = true;
        whenSettled = settled;
        List.copyOf(lines.values()).forEach(WaitQueue::close);
        listening.close();
        settled();
    }

    /** Leaves what is not settled to expire, and says so to whoever waits for it. After this nothing need be carried out. */
    public void abandon() {
        abandoned = true;
        List.copyOf(releasings).forEach(ReleaseRetry::abandon);
        boolean unused = leftToExpire.warnOfGathered(); // the timers may be gone
    }

    void requireOpen() {
        if (closed) {
            throw closedException();
        }
    }

    boolean isOpen() {
        return !closed;
    }

    public static IllegalStateException closedException() {
        return new IllegalStateException("these locks are closed");
    }

    /** Whether each waiter has a place of its own in the store's queue. */
    boolean isStrict() {
        return handoff == 1 && abilities.contains(Capability.QUEUE);
    }

    int handoff() {
        return handoff;
    }

    boolean hasSignals() {
        return abilities.contains(Capability.SIGNALS);
    }

    DualClockInstant now() {
        return outside.clock().now();
    }

    GrantValidity tenure() {
        return outside.tenure();
    }

    /** Tells the listeners of a change of who grants. */
    public void tell(RegimeEvent event) {
        events.put(listener -> listener.regime(event), true);
        events.tell();
    }

    Timers.Timer after(Duration delay, Runnable task) {
        return outside.timers().after(delay, task);
    }

    /** For what may come a little sooner than it is due. */
    CoalescingTimer.Alarm newAlarm(Runnable task) {
        return rounds.new Alarm(task);
    }

    /** A request that must be answered before the engine is settled; it is going to be sent. */
    StoreRequest expected(Step step, Duration timeout, Consumer<StoreResponse> to) {
        unsettled.incrementAndGet();
        return new StoreRequest(step, timeout, reply -> {
            try {
                to.accept(reply);
            } finally {
                settled();
            }
        });
    }

    void call(StoreExecutor.Lane lane, List<StoreRequest> requests) {
        outside.calls().call(lane, requests);
    }

    Step.Acquire acquire(LockName name, AcquisitionId id, LeaseOptions terms, boolean queue) {
        boolean place = queue && abilities.contains(Capability.QUEUE);
        return new Step.Acquire(name, id, terms.length(), place, floor, owner);
    }

    AcquisitionId newId() {
        return new AcquisitionId(outside.random().getAsLong(), outside.random().getAsLong());
    }

    Backoff newBackoff() {
        return new Backoff(outside.random());
    }

    void drop(WaitQueue line) {
        lines.remove(line.name(), line);
    }

    /** Returns false if there are too many of its kind: it is to be given up. What keeps a minimum hold never is. */
    boolean begin(ReleaseRetry releasing) {
        unsettled.incrementAndGet();
        boolean tooMany = releasing.isOrphan() && orphans.incrementAndGet() > MOST_ORPHANS && !releasing.keeps();
        if (tooMany) {
            return false;
        }
        releasings.add(releasing);
        if (abandoned) {
            releasing.abandon();
        }
        return true;
    }

    void leftToExpire(LockName name, @Nullable Throwable why) {
        leftToExpire.warn(name, String.valueOf(why));
    }

    void over(ReleaseRetry releasing) {
        releasings.remove(releasing);
        if (releasing.isOrphan()) {
            orphans.decrementAndGet();
        }
        settled();
    }

    /** There is one more grant. */
    void begin() {
        clockWatch.begin();
    }

    /** There is one grant less. */
    void over() {
        clockWatch.end();
    }

    /** Some grants may count for less long than they did. */
    public void tickAll() {
        List.copyOf(lines.values()).forEach(WaitQueue::tick);
    }

    /** There is one more ticket that a signal may concern. */
    void listen(DeferredActions effects) {
        if (hasSignals()) {
            listening.begin();
            effects.add(listening::open);
        }
    }

    /** There is one less. */
    void listenNoMore() {
        if (hasSignals()) {
            listening.end();
        }
    }

    private void signalled(Signal signal) {
        if (signal.name().isEmpty()) {
            List.copyOf(lines.values()).forEach(line -> line.signalled(signal.id()));
            return;
        }
        WaitQueue line = lines.get(signal.name().get());
        if (line != null) {
            line.signalled(signal.id());
        }
    }

    void lost(Runnable whatToDo) {
        try {
            outside.losses().execute(() -> guarded(whatToDo));
        } catch (Throwable e) { // no thread to be had: better late timers than an untold loss
            log.error("a loss is told on the thread at hand", e);
            guarded(whatToDo);
        }
    }

    /** Tells the listeners: in the order of these calls, which are made under the line's lock. */
    void tell(DeferredActions effects, Consumer<LockListener> event) {
        tell(effects, event, false);
    }

    /** The same of a loss, which is among the last to be dropped where listeners are slow. */
    void tellLoss(DeferredActions effects, Consumer<LockListener> event) {
        tell(effects, event, true);
    }

    private void tell(DeferredActions effects, Consumer<LockListener> event, boolean rare) {
        if (events.isHeard()) {
            events.put(event, rare);
            effects.add(events::tell);
        }
    }

    private static void guarded(Runnable applicationCode) {
        try {
            applicationCode.run();
        } catch (Throwable e) {
            log.error("a listener failed", e);
        }
    }

    private void settled() {
        if (unsettled.decrementAndGet() == 0) {
            whenSettled.run();
        }
    }
}
