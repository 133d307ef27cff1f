package dev.holdfast.lock.internal;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every store would otherwise repeat: asking until granted, renewing, ending a lease in time, and undoing what was not
 * answered. It keeps what is going on ({@link Asking}, {@link Grant}, {@link Releasing}) and starts nothing of its own accord.
 *
 * <p>Thread-safe; never blocks, unless {@link StoreCalls.Lane#CALLER} does.
 */
public final class Engine {

    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    private final Outside outside;
    private final String owner;
    private final boolean queue;
    private final ClockWatch clockWatch;
    private final List<LockListener> listeners = new CopyOnWriteArrayList<>();
    private final Set<Asking> askings = ConcurrentHashMap.newKeySet();
    private final Set<Grant> grants = ConcurrentHashMap.newKeySet();
    private final Set<Releasing> releasings = ConcurrentHashMap.newKeySet();
    /** Attempts to acquire and releases whose reply is still to come. */
    private final AtomicInteger unsettled = new AtomicInteger();

    private volatile boolean closed;
    private volatile boolean abandoned;
    private volatile Runnable whenSettled = () -> {};

    /**
     * An engine with nothing going on.
     *
     * @param owner what the store is told about who asks
     * @param queue whether the store has queues
     */
    public Engine(Outside outside, String owner, boolean queue) {
        this.outside = outside;
        this.clockWatch = new ClockWatch(outside.clock(), outside.timers(), this::tickAll);
        this.owner = owner;
        this.queue = queue;
    }

    /**
     * Asks for a lock.
     *
     * @param to gets the outcome, exactly once, on any thread, possibly before this method returns
     * @return what to withdraw by
     * @throws IllegalStateException if closed
     */
    public Asking ask(LockName name, Terms terms, Patience patience, Consumer<Outcome> to) {
        Asking asking = new Asking(this, name, terms, patience, to);
        askings.add(asking);
        if (closed) {
            askings.remove(asking);
            throw closedException();
        }
        asking.start();
        return asking;
    }

    /** Tells this listener of every lease from now on. */
    public void addListener(LockListener listener) {
        listeners.add(listener);
    }

    /**
     * Takes no more questions, ends those that wait, and releases what is held.
     *
     * @param settled called once nothing is outstanding any more
     */
    public void close(Runnable settled) {
        closed = true;
        List.copyOf(askings).forEach(asking -> asking.end(new Outcome.Closed()));
        unsettled.incrementAndGet();
        whenSettled = settled;
        List.copyOf(grants).forEach(this::releaseAtClose);
        settled();
    }

    /** Leaves what is not settled to expire, and says so to whoever waits for it. After this nothing need be carried out. */
    public void abandon() {
        abandoned = true;
        List.copyOf(releasings).forEach(Releasing::abandon);
    }

    private void releaseAtClose(Grant grant) {
        grant.release(StoreCalls.Lane.BACKGROUND, Duration.ZERO, end -> {});
    }

    static IllegalStateException closedException() {
        return new IllegalStateException("these locks are closed");
    }

    Moment now() {
        return outside.clock().now();
    }

    Timers.Timer after(Duration delay, Runnable task) {
        return outside.timers().after(delay, task);
    }

    /** Has a step carried out whose outcome must be known before the engine is settled. */
    void call(StoreCalls.Lane lane, Step step, Duration timeout, Consumer<Reply> to) {
        unsettled.incrementAndGet();
        outside.calls().call(lane, step, timeout, reply -> {
            log.debug("{} -> {}", step, reply.answer());
            try {
                to.accept(reply);
            } finally {
                settled();
            }
        });
    }

    /** Ends an id that nobody wants any more, in the background, for as long as it could matter. */
    void release(Step.Release step, Terms terms) {
        Duration patience = terms.length().plus(terms.callTimeout());
        new Releasing(this, step, terms.callTimeout(), patience, end -> {
                    if (!end.answered()) {
                        log.warn(
                                "'{}' is left to expire: its release was not answered: {}",
                                step.name(),
                                String.valueOf(end.why()));
                    }
                })
                .start(StoreCalls.Lane.BACKGROUND);
    }

    Step.Acquire acquire(LockName name, AcquisitionId id, Terms terms, boolean waits) {
        return new Step.Acquire(name, id, terms.length(), queue && waits, 0, owner);
    }

    AcquisitionId newId() {
        return new AcquisitionId(outside.random().getAsLong(), outside.random().getAsLong());
    }

    Backoff newBackoff() {
        return new Backoff(outside.random());
    }

    void begin(Releasing releasing) {
        unsettled.incrementAndGet();
        releasings.add(releasing);
        if (abandoned) {
            releasing.abandon();
        }
    }

    void over(Releasing releasing) {
        releasings.remove(releasing);
        settled();
    }

    void over(Asking asking) {
        askings.remove(asking);
    }

    void begin(Grant grant) {
        grants.add(grant);
        clockWatch.begin();
        if (closed) {
            releaseAtClose(grant);
        }
    }

    void over(Grant grant) {
        if (grants.remove(grant)) {
            clockWatch.end();
        }
    }

    private void tickAll() {
        List.copyOf(grants).forEach(Grant::tick);
    }

    void lost(Runnable whatToDo) {
        try {
            outside.losses().execute(() -> guarded(whatToDo));
        } catch (Throwable e) { // no thread to be had: better late timers than an untold loss
            log.error("a loss is told on the thread at hand", e);
            guarded(whatToDo);
        }
    }

    void tell(Consumer<LockListener> event) {
        if (listeners.isEmpty()) {
            return;
        }
        try {
            outside.events().execute(() -> listeners.forEach(listener -> guarded(() -> event.accept(listener))));
        } catch (Throwable e) { // no thread to be had
            log.error("the listeners were not told of an event", e);
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
