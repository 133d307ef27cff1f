package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * {@code failing-over}: the composite, with a failover between two commands, as if another process had made it: the third command
 * finds the fallback in power, and the sixth the primary again. Only while all members are open stores of this process, which share
 * one clock, as no other process transfers what it holds; while each of them reaches its servers, as an outage would last longer than
 * an authority lease; and while no lease or minimum hold is short, as a failover takes longer, no command waits, as queues begin anew,
 * and all commands of an id are those of one store.
 */
public final class FailoverProvider implements LockProvider {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int MOST_STEPS = 8;
    private static final AtomicInteger CHANGES = new AtomicInteger();
    private static final Map<Namespace, Space> SPACES = new ConcurrentHashMap<>();

    /** How often another has come to power so far. */
    static int changes() {
        return CHANGES.get();
    }

    @Override
    public String name() {
        return "failing-over";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return new CompositeLockProvider().keys();
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        Space space = SPACES.computeIfAbsent(namespace, Space::new);
        CompositeLockStore composite = SteppedProvider.composite(namespace, config, true);
        return new FailoverStore(composite, space, config);
    }

    private static AuthorityReading reading(AuthorityStore authority) {
        return authority.peek(TIMEOUT).orElseThrow();
    }

    /** A complete failback from this epoch of the fallback. */
    static void failBack(AuthorityStore authority, PrimaryStore primary, long epoch) {
        String replicationId = primary.health(TIMEOUT).replicationId();
        if (authority.transition(new Transition.BeginFailback(epoch, replicationId), TIMEOUT)) {
            AuthorityState prepared = reading(authority).state();
            primary.installTerm(prepared.primaryTerm(), prepared.tokenBase(), TIMEOUT);
            Optional<LockName> after = Optional.empty();
            List<TransferredLease> page;
            do {
                page = authority.leases(epoch + 1, after, 100, TIMEOUT);
                primary.copyLeases(prepared.primaryTerm(), page, TIMEOUT);
                after = page.isEmpty()
                        ? after
                        : Optional.of(page.get(page.size() - 1).name());
            } while (!page.isEmpty());
            authority.transition(new Transition.ActivatePrimary(epoch + 1), TIMEOUT);
        }
    }

    /** What the stores of one namespace share. */
    private static final class Space {
        private final ReentrantReadWriteLock turn = new ReentrantReadWriteLock();
        private final AtomicInteger steps = new AtomicInteger();
        private final Map<AcquisitionId, CompositeLockStore> users = new ConcurrentHashMap<>();
        private final Namespace namespace;
        private final CompositeGroup group;
        private @Nullable AuthorityStore authority;
        private @Nullable PrimaryStore primary;
        private volatile boolean settled;

        Space(Namespace namespace) {
            this.namespace = namespace;
            group = CompositeGroup.of(namespace.value());
        }

        /** By stores of its own, which are kept for the next change, as opening them takes longer than the change. */
        void change(Config config) {
            if (authority == null) {
                authority = new JdbcLockProvider().openAuthority(namespace, config, false);
            }
            if (primary == null) {
                primary = new RedisLockProvider().primary(namespace, config).get();
            }
            AuthorityReading reading = reading(authority);
            AuthorityState state = reading.state();
            if (reading.members() != group.stores().size()) {
                return;
            } else if (state.phase() == FailoverPhase.PRIMARY) {
                authority.transition(new Transition.DrainPrimary(state.epoch(), "a test wants it"), TIMEOUT);
                await(FailoverPhase.FALLBACK, authority, SteppedProvider.timing(config));
            } else if (state.phase() == FailoverPhase.FALLBACK) {
                failBack(authority, primary, state.epoch());
                await(FailoverPhase.PRIMARY, authority, SteppedProvider.timing(config));
            }
            CHANGES.incrementAndGet();
        }

        /** Closes what it has opened once no store of the namespace is open. */
        void closeIfUnused() {
            turn.writeLock().lock();
            try {
                if (group.stores().isEmpty()) {
                    if (authority != null) {
                        authority.close();
                        authority = null;
                    }
                    if (primary != null) {
                        primary.close();
                        primary = null;
                    }
                }
            } finally {
                turn.writeLock().unlock();
            }
        }

        /**
         * Sets the clock ahead for as many steps as a change needs if all calls are answered. Then real time has to pass, or leases would
         * end by a clock that ran ahead while a slow machine answered late; so it has if a member of another process has joined, which
         * has another clock.
         */
        private void await(FailoverPhase phase, AuthorityStore authority, Timing timing) {
            boolean isAlone = reading(authority).members() == group.stores().size();
            AtomicInteger steps = new AtomicInteger();
            Await.until("all members know which store grants", () -> {
                boolean isKnown = group.stores().stream().allMatch(store -> store.isIn(phase));
                if (!isKnown && isAlone && steps.incrementAndGet() <= MOST_STEPS) {
                    group.step(timing);
                }
                return isKnown;
            });
        }
    }

    private static final class FailoverStore extends SteppedStore {

        private final CompositeLockStore composite;
        private final Space space;
        private final Config config;

        FailoverStore(CompositeLockStore composite, Space space, Config config) {
            super(composite, space.group);
            this.composite = composite;
            this.space = space;
            this.config = config;
        }

        @Override
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            if (commands.stream().anyMatch(each -> isShort(each) || isOfAnotherStore(each))) {
                space.settled = true;
            }
            int count = space.steps.incrementAndGet();
            if (count == 3 || count == 6) {
                changeUnlessSettled();
            }
            space.turn.readLock().lock();
            try {
                List<LockReply> replies = composite.execute(commands, timeout);
                if (replies.stream()
                        .anyMatch(each -> each instanceof LockReply.Queued || each instanceof LockReply.Unavailable)) {
                    space.settled = true;
                }
                return replies;
            } finally {
                space.turn.readLock().unlock();
            }
        }

        @Override
        public void close() {
            space.settled = true;
            super.close();
            space.closeIfUnused();
        }

        private static boolean isShort(LockCommand command) {
            if (command instanceof LockCommand.Acquire acquire) {
                return acquire.lease().compareTo(LONG) < 0;
            }
            return command instanceof LockCommand.Release release
                    && !release.minimumHold().isZero()
                    && release.minimumHold().compareTo(LONG) < 0;
        }

        /** Commands under way settle it before they are executed: what they did is not lost by the change. */
        private void changeUnlessSettled() {
            space.turn.writeLock().lock();
            try {
                if (!space.settled) {
                    space.change(config);
                }
            } finally {
                space.turn.writeLock().unlock();
            }
        }

        /** As with a forced release: the store that knows the id transfers what it holds by its own commands only. */
        private boolean isOfAnotherStore(LockCommand command) {
            return space.users.computeIfAbsent(command.id(), id -> composite) != composite;
        }
    }
}
