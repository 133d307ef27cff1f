package dev.holdfast.lock.composite;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.composite.member.CommandRouter;
import dev.holdfast.lock.composite.member.LazyPrimary;
import dev.holdfast.lock.composite.member.MemberLoop;
import dev.holdfast.lock.composite.member.NotificationRelay;
import dev.holdfast.lock.composite.member.SerializedMember;
import dev.holdfast.lock.composite.protocol.Member;
import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.environment.HolderName;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.failover.GrantValidityStore;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.Clock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks on a primary, under the authority of a fallback: at any instant the leases of a lock are compatible, of which an exclusive
 * lock has one, and a holder keeps its lease through a failover.
 *
 * <p>Thread-safe.
 */
final class CompositeLockStore implements GrantValidityStore {

    private static final Logger log = LoggerFactory.getLogger(CompositeLockStore.class);

    /** The time for the tasks in progress when the store is closed, and for leaving the members after that. */
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(2);

    private final Set<Capability> capabilities;
    private final String primaryName;
    private final String fallbackName;
    private final Timing timing;
    private final Duration shortestLease;
    private final PrimaryStore primary;
    private final AuthorityStore authority;
    private final AcquisitionId id;
    private final SerializedMember member;
    private final CommandRouter router;
    private final MemberLoop loop;
    private final ExecutorService listenerThread = oneThread("holdfast-failover-events");
    private final ExecutorService relayThread = oneThread("holdfast-failover-notifications");
    private final NotificationRelay notifications = new NotificationRelay(relayThread);
    private final List<Runnable> whenShortened = new CopyOnWriteArrayList<>();
    private final List<Consumer<FailoverEvent>> listeners = new CopyOnWriteArrayList<>();
    private final ReentrantLock starting = new ReentrantLock();
    private volatile boolean started;
    private volatile boolean closed;

    /**
     * A store that takes part in the protocol from {@link #start} on, or from its first command: inspection needs no member.
     *
     * @param capabilities those that both stores have
     * @param primaryOpener opens the primary, or throws if that cannot be done now; retried
     * @param shortestLease the shortest lease that survives a failover
     * @param clock measures authority leases
     */
    CompositeLockStore(
            Namespace namespace,
            Set<Capability> capabilities,
            String primaryName,
            Supplier<PrimaryStore> primaryOpener,
            String fallbackName,
            AuthorityStore authority,
            Timing timing,
            Duration shortestLease,
            Clock clock) {
        SecureRandom random = new SecureRandom();
        this.capabilities = capabilities;
        this.primaryName = primaryName;
        this.fallbackName = fallbackName;
        this.timing = timing;
        this.shortestLease = shortestLease;
        this.primary = new LazyPrimary(primaryOpener, () -> notifications.resubscribe(), clock);
        this.authority = authority;
        this.id = new AcquisitionId(random.nextLong(), random.nextLong());
        listeners.add(new FailoverLog(namespace.value(), primaryName, fallbackName)::failover);
        this.member = new SerializedMember(new Member(id, HolderName.ofThisProcess(), timing, new Listener()), clock);
        this.router = new CommandRouter(member, primary, authority);
        this.loop = new MemberLoop(member, primary, authority, timing.readInterval());
    }

    /** Starts the thread in advance, so that reporting a transition never needs a new thread, which may not be available. */
    private static ExecutorService oneThread(String name) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> DaemonThreadFactory.unstarted(name, task),
                new ThreadPoolExecutor.DiscardPolicy());
        executor.prestartCoreThread();
        return executor;
    }

    @Override
    public Duration shortestLease() {
        return shortestLease;
    }

    /**
     * Checks the health of the primary, which opens it.
     *
     * @throws LockUnavailableException if it cannot be reached
     * @throws LockConfigurationException if it cannot be used as it is configured, or refuses the client
     */
    PrimaryHealth checkPrimary(Duration timeout) {
        return primary.health(timeout);
    }

    /**
     * Takes part in the protocol from now on.
     *
     * @param first whether the first term of the primary is to begin, which is awaited if the primary is healthy
     * @throws LockUnavailableException if the authority state is not known in time
     */
    void start(boolean first, Duration timeout) {
        starting.lock();
        try {
            if (!started) {
                requireOpen();
                loop.start();
                started = true;
            }
        } finally {
            starting.unlock();
        }
        if (!member.await(Member::isInformed, timeout)) {
            throw new LockUnavailableException(
                    "which store grants is unknown: " + fallbackName + " has not answered within "
                            + DurationText.format(timeout),
                    null);
        }
        if (first) {
            member.await(Member::isFirstTermDecided, timing.readInterval());
        }
    }

    /** Makes the member loop read the clock again, after a test has set it. */
    void wake() {
        member.wake();
    }

    /** Whether the member has no task, and none is in progress. */
    boolean isIdle() {
        return member.isIdle();
    }

    /** Whether the latest authority state that is known here has this phase. */
    boolean isIn(FailoverPhase phase) {
        return member.isIn(phase);
    }

    /** Passes the events of the member on, in order and on other threads. */
    private final class Listener implements Member.Listener {

        /** Whether the leases are to be looked at again. */
        private final AtomicBoolean shortened = new AtomicBoolean();

        @Override
        public void failover(FailoverEvent event) {
            listenerThread.execute(() -> listeners.forEach(listener -> listener.accept(event)));
        }

        @Override
        public void transition(FailoverPhase phase) {
            notifications.follow(
                    switch (phase) {
                        case PRIMARY -> primary::subscribe;
                        case FALLBACK -> authority::subscribe;
                        case DRAINING, FAILING_BACK -> NotificationRelay.NO_SOURCE;
                    });
        }

        @Override
        public void leasesShortened() {
            if (shortened.compareAndSet(false, true)) { // one pass over all leases covers all that end meanwhile
                listenerThread.execute(() -> {
                    shortened.set(false);
                    whenShortened.forEach(Runnable::run);
                });
            }
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    /** {@inheritDoc} As many as the primary while it grants; the fallback commits a whole batch at once. */
    @Override
    public int parallelCalls() {
        return member.isIn(FailoverPhase.PRIMARY) ? primary.parallelCalls() : 1;
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        if (!capabilities.contains(Capability.SHARES)) {
            Share.requireExclusive(commands);
        }
        requireOpen();
        Deadline deadline = Deadline.in(timeout);
        if (!started) {
            start(false, timeout);
        }
        return router.execute(commands, deadline);
    }

    @Override
    public GrantValidity grantValidity() {
        return member.grantValidity();
    }

    @Override
    public void watch(Runnable sooner, Consumer<FailoverEvent> events) {
        whenShortened.add(sooner);
        listeners.add(events);
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> listener) {
        requireOpen();
        return notifications.subscribe(listener);
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        requireOpen();
        AuthorityState current = reading(timeout).state();
        return current.phase() == FailoverPhase.PRIMARY
                ? primary.list(current.primaryTerm(), prefix, timeout)
                : authority.list(prefix, timeout);
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        requireOpen();
        return new CompositeDiagnostics(status(timeout), primary, authority).findings(timeout);
    }

    @Override
    public Optional<String> whySuspended() {
        return member.whySuspended();
    }

    @Override
    public FailoverStatus status(Duration timeout) {
        requireOpen();
        Deadline deadline = Deadline.in(timeout);
        AuthorityReading reading = reading(timeout);
        AuthorityState current = reading.state();
        String grants = switch (current.phase()) {
            case PRIMARY -> primaryName;
            case FALLBACK -> fallbackName;
            case DRAINING, FAILING_BACK -> "none";
        };
        return new FailoverStatus(
                primaryName,
                fallbackName,
                grants,
                current.epoch(),
                current.since(),
                current.cause(),
                current.lease(),
                reading.members(),
                reading.suspecting(),
                authority.highestToken(Duration.ofMillis(Math.max(1, deadline.millisLeft()))));
    }

    private AuthorityReading reading(Duration timeout) {
        return authority
                .peek(timeout)
                .orElseThrow(() -> new LockUnavailableException(
                        "the authority state of this namespace is gone: its row was removed from " + fallbackName,
                        null));
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
        boolean isCutOff = member.isCutOff();
        loop.close();
        if (started) {
            leave(isCutOff);
        }
        notifications.close();
        listenerThread.shutdown();
        relayThread.shutdown();
        primary.close();
        authority.close();
    }

    /** A silent authority is not asked: that would only delay the close, as it goes on counting this process in any case. */
    private void leave(boolean isCutOff) {
        Deadline deadline = Deadline.in(LEAVE_TIMEOUT);
        try {
            if (!isCutOff && loop.awaitEnd(Target.AUTHORITY, deadline)) { // a read that ends later would join again
                authority.leave(id, Durations.min(timing.readInterval(), LEAVE_TIMEOUT));
            }
        } catch (RuntimeException e) {
            log.debug("this process could not leave, and is counted as a member for one more authority lease", e);
        }
        boolean unused = loop.awaitEnd(Target.PRIMARY, deadline);
    }
}
