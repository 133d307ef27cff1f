package dev.holdfast.lock.composite;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.composite.regime.Events;
import dev.holdfast.lock.composite.regime.Member;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.internal.Clock;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.internal.Owner;
import dev.holdfast.lock.internal.Tenure;
import dev.holdfast.lock.internal.TenuredStore;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks on a primary, under the authority of a fallback: whichever of them grants, at any instant at most one process holds a lock,
 * and who holds one keeps it while that changes.
 *
 * <p>Thread-safe.
 */
final class CompositeLockStore implements TenuredStore {

    private static final Logger log = LoggerFactory.getLogger(CompositeLockStore.class);

    private final String primaryName;
    private final String fallbackName;
    private final Timing timing;
    private final PrimaryStore primary;
    private final AuthorityStore authority;
    private final AcquisitionId id;
    private final Seat seat;
    private final Asking asking;
    private final Attendance attendance;
    private final ExecutorService telling = oneThread("holdfast-regime-events");
    private final ExecutorService following = oneThread("holdfast-regime-signals");
    private final Signals signals = new Signals(following);
    private final List<Runnable> sooner = new CopyOnWriteArrayList<>();
    private final List<Consumer<RegimeEvent>> listeners = new CopyOnWriteArrayList<>();
    private final ReentrantLock starting = new ReentrantLock();
    private volatile boolean started;
    private volatile boolean closed;

    /**
     * A store that takes part from {@link #start} on, or from its first step: who only looks is no member.
     *
     * @param opening opens the primary, or throws if that cannot be done now; tried again and again
     * @param clock by which regime leases go
     */
    CompositeLockStore(
            Namespace namespace,
            String primaryName,
            Supplier<PrimaryStore> opening,
            String fallbackName,
            AuthorityStore authority,
            Timing timing,
            Clock clock) {
        SecureRandom random = new SecureRandom();
        this.primaryName = primaryName;
        this.fallbackName = fallbackName;
        this.timing = timing;
        this.primary = new LatePrimary(opening, () -> signals.again(), clock);
        this.authority = authority;
        this.id = new AcquisitionId(random.nextLong(), random.nextLong());
        listeners.add(new RegimeLog(namespace.value(), primaryName, fallbackName)::happened);
        this.seat = new Seat(new Member(id, Owner.ofThisProcess(), timing, new Telling()), clock);
        this.asking = new Asking(seat, primary, authority);
        this.attendance = new Attendance(seat, primary, authority, timing.reading());
    }

    /** It is there before it is needed: to tell of a change never takes a thread that may not be there to be had. */
    private static ExecutorService oneThread(String name) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        executor.prestartCoreThread();
        return executor;
    }

    /**
     * How the primary is, which is reached for the first time.
     *
     * @throws LockUnavailableException if it cannot be reached
     * @throws LockConfigurationException if it can be no primary as it is, or refuses the client
     */
    Health reach(Duration timeout) {
        return primary.examine(timeout);
    }

    /**
     * Takes part from now on.
     *
     * @param first whether the first reign is to begin, which is waited for unless something speaks against the primary
     * @throws LockUnavailableException if the regime is not known in time
     */
    void start(boolean first, Duration timeout) {
        starting.lock();
        try {
            if (!started) {
                requireOpen();
                attendance.start();
                started = true;
            }
        } finally {
            starting.unlock();
        }
        if (!seat.await(Member::isInformed, timeout)) {
            throw new LockUnavailableException(
                    "no answer from " + fallbackName + ", which says who grants, within " + timeout, null);
        }
        if (first) {
            seat.await(Member::isBegunOrNotToBegin, timing.reading());
        }
    }

    /** The clock was set: what is due now is done now. */
    void wake() {
        seat.wake();
    }

    /** Whether nothing is due, and nothing is under way. */
    boolean isIdle() {
        return seat.isIdle();
    }

    /** Whether the last that was heard here of the regime is this. */
    boolean knows(Mode mode) {
        return seat.with((member, now) -> member.knows(mode));
    }

    /** What the member tells is passed on by another thread, in its order. */
    private final class Telling implements Events {

        @Override
        public void happened(RegimeEvent event) {
            telling.execute(() -> listeners.forEach(listener -> listener.accept(event)));
        }

        @Override
        public void changed(Mode mode) {
            signals.follow(
                    switch (mode) {
                        case PRIMARY -> primary::signals;
                        case FALLBACK -> authority::signals;
                        case DRAIN, PREPARE -> Signals.NONE;
                    });
        }

        @Override
        public void sooner() {
            telling.execute(() -> sooner.forEach(Runnable::run));
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.values());
    }

    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        requireOpen();
        Deadline deadline = Deadline.in(timeout);
        if (!started) {
            start(false, timeout);
        }
        return asking.apply(steps, deadline);
    }

    @Override
    public Tenure tenure() {
        return new Tenure() {
            @Override
            public Moment end(LockName name, AcquisitionId of, Moment deadline) {
                return seat.with((member, now) -> member.end(name, of, deadline, now));
            }

            @Override
            public boolean isSettled(LockName name, AcquisitionId of) {
                return seat.with((member, now) -> member.isSettled(name, of, now));
            }
        };
    }

    @Override
    public void watch(Runnable whenSooner, Consumer<RegimeEvent> events) {
        sooner.add(whenSooner);
        listeners.add(events);
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        requireOpen();
        return signals.add(to);
    }

    @Override
    public Stream<LockInfo> inspect(String prefix, Duration timeout) {
        requireOpen();
        Regime regime = reading(timeout).regime();
        return regime.mode() == Mode.PRIMARY
                ? primary.inspect(regime.reign(), prefix, timeout)
                : authority.inspect(prefix, timeout);
    }

    @Override
    public List<Finding> examine(Duration timeout) {
        requireOpen();
        return new Examination(status(timeout), primary, authority).findings(timeout);
    }

    @Override
    public RegimeStatus status(Duration timeout) {
        requireOpen();
        Reading reading = reading(timeout);
        Regime regime = reading.regime();
        String grants = switch (regime.mode()) {
            case PRIMARY -> primaryName;
            case FALLBACK -> fallbackName;
            case DRAIN, PREPARE -> "nobody";
        };
        return new RegimeStatus(
                primaryName,
                fallbackName,
                grants,
                regime.epoch(),
                regime.since(),
                regime.cause(),
                regime.lease(),
                reading.members(),
                reading.suspecting(),
                authority.highestToken(timeout));
    }

    private Reading reading(Duration timeout) {
        return authority
                .look(timeout)
                .orElseThrow(() -> new LockUnavailableException("the regime is gone: its row was removed", null));
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this store is closed");
        }
    }

    @Override
    public void close() {
        starting.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            starting.unlock();
        }
        attendance.close();
        if (started) {
            takeLeave();
        }
        signals.close();
        telling.shutdown();
        following.shutdown();
        primary.close();
        authority.close();
    }

    private void takeLeave() {
        try {
            authority.leave(id, timing.reading());
        } catch (RuntimeException e) {
            log.debug("this process is counted as a member for a while, as it could not take leave", e);
        }
    }
}
