package dev.holdfast.lock.composite;

import static dev.holdfast.lock.spi.regime.Regime.TOKENS;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.composite.regime.Events;
import dev.holdfast.lock.composite.regime.Member;
import dev.holdfast.lock.composite.regime.Route;
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
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
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
import java.util.stream.IntStream;
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

    private static final Duration SOON = Duration.ofMillis(50);

    private static final Answer UNASKED = new Answer.Unavailable(new DeposedException("nobody was asked yet"), SOON);

    private final String primaryName;
    private final String fallbackName;
    private final Timing timing;
    private final PrimaryStore primary;
    private final AuthorityStore authority;
    private final AcquisitionId id;
    private final Seat seat;
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
     */
    CompositeLockStore(
            Namespace namespace,
            String primaryName,
            Supplier<PrimaryStore> opening,
            String fallbackName,
            AuthorityStore authority,
            Timing timing) {
        SecureRandom random = new SecureRandom();
        this.primaryName = primaryName;
        this.fallbackName = fallbackName;
        this.timing = timing;
        this.primary = new LatePrimary(opening, () -> signals.again());
        this.authority = authority;
        this.id = new AcquisitionId(random.nextLong(), random.nextLong());
        listeners.add(new RegimeLog(namespace.value(), primaryName, fallbackName)::happened);
        this.seat = new Seat(new Member(id, Owner.ofThisProcess(), timing, new Telling()), Clock.SYSTEM);
        this.attendance = new Attendance(seat, primary, authority, timing.reading());
    }

    private static ExecutorService oneThread(String name) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /**
     * How the primary is, which is reached for the first time.
     *
     * @throws LockUnavailableException if it cannot be reached
     */
    Health reach(Duration timeout) {
        return primary.examine(timeout);
    }

    /**
     * Takes part from now on.
     *
     * @param first whether the first reign is to begin, which is waited for
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
            seat.await(member -> member.knows(Mode.PRIMARY), timing.reading());
        }
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

    /** What is refused because another regime has come is asked again under that one, while there is time. */
    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        requireOpen();
        Deadline deadline = Deadline.in(timeout);
        if (!started) {
            start(false, timeout);
        }
        List<Answer> answers = new ArrayList<>(Collections.nCopies(steps.size(), UNASKED));
        while (true) {
            List<Integer> open = IntStream.range(0, steps.size())
                    .filter(at -> isRefused(answers.get(at)))
                    .boxed()
                    .toList();
            if (open.isEmpty()) {
                return answers;
            }
            long regime = seat.with((member, now) -> member.changes());
            List<Answer> next = attempt(open.stream().map(steps::get).toList(), left(deadline));
            for (int i = 0; i < open.size(); i++) {
                answers.set(open.get(i), next.get(i));
            }
            boolean isOver = next.stream().noneMatch(CompositeLockStore::isRefused);
            if (isOver || !seat.await(member -> member.changes() != regime, left(deadline))) {
                return answers;
            }
        }
    }

    private static boolean isRefused(Answer answer) {
        return answer instanceof Answer.Unavailable unavailable && unavailable.why() instanceof DeposedException;
    }

    private static Duration left(Deadline deadline) {
        return Duration.ofMillis(Math.max(1, deadline.millisLeft()));
    }

    private List<Answer> attempt(List<Step> steps, Duration timeout) {
        List<Route> routes = seat.with((member, now) ->
                steps.stream().map(step -> member.route(step, now)).toList());
        List<Step> sent = new ArrayList<>(steps.size());
        for (Route route : routes) {
            if (route instanceof Route.ToPrimary to) {
                sent.add(to.step());
            } else if (route instanceof Route.ToAuthority to) {
                sent.add(to.step());
            }
        }
        Moment sentAt = seat.now();
        Iterator<Answer> answers = ask(routes, sent, timeout).iterator();
        return seat.with((member, now) -> {
            List<Answer> settled = new ArrayList<>(steps.size());
            for (int at = 0; at < steps.size(); at++) {
                Route route = routes.get(at);
                settled.add(
                        route instanceof Route.Answered answered
                                ? answered.answer()
                                : member.settle(steps.get(at), route, answers.next(), sentAt, now));
            }
            return settled;
        });
    }

    /** All of them go to one store: they were routed by one regime. */
    private List<Answer> ask(List<Route> routes, List<Step> steps, Duration timeout) {
        try {
            for (Route route : routes) {
                if (route instanceof Route.ToPrimary to) {
                    return primary.apply(to.reign(), steps, timeout);
                } else if (route instanceof Route.ToAuthority to) {
                    return authority.apply(to.epoch(), steps, timeout);
                }
            }
            return List.of();
        } catch (RuntimeException e) {
            return Collections.nCopies(steps.size(), new Answer.Unavailable(e, SOON));
        }
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
        boolean isPrimary = regime.mode() == Mode.PRIMARY;
        String grants = isPrimary ? primaryName : regime.mode() == Mode.FALLBACK ? fallbackName : "nobody";
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
                Math.max(regime.base() + (isPrimary ? TOKENS : 0), authority.highestToken(timeout)));
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
