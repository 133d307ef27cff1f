package dev.holdfast.lock.composite;

import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.composite.regime.Timing;
import dev.holdfast.lock.internal.Tenure;
import dev.holdfast.lock.internal.TenuredStore;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Key;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * {@code changing}: the composite, which another grants in between two steps, as if another process had changed that: the third
 * step finds the fallback in power, and the sixth the primary again. Only while no lease is short, as a change takes longer, nobody waits, as queues begin anew, and no operator interferes.
 */
public final class ChangingProvider implements LockProvider {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final AtomicInteger CHANGES = new AtomicInteger();
    private static final Map<Namespace, Space> SPACES = new ConcurrentHashMap<>();

    /** How often another has come to power so far. */
    static int changes() {
        return CHANGES.get();
    }

    @Override
    public String name() {
        return "changing";
    }

    @Override
    public Set<Key> keys() {
        return new CompositeLockProvider().keys();
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        Duration lease =
                config.duration("lock.composite.regime-lease", Duration.ZERO).orElseThrow();
        CompositeLockStore composite = CompositeLockProvider.open(namespace, config, new Timing(lease), true);
        Space space = SPACES.computeIfAbsent(namespace, any -> new Space());
        space.stores.add(composite);
        return new Changing(composite, space, () -> change(namespace, config, space));
    }

    private static void change(Namespace namespace, Config config, Space space) {
        try (AuthorityStore authority = new JdbcLockProvider().openAuthority(namespace, config, false);
                PrimaryStore primary =
                        new RedisLockProvider().primary(namespace, config).get()) {
            Regime regime = regime(authority);
            if (regime.mode() == Mode.PRIMARY) {
                authority.change(new Transition.Depose(regime.epoch(), "a test wants it"), TIMEOUT);
                space.await(Mode.FALLBACK);
            } else if (regime.mode() == Mode.FALLBACK) {
                crown(authority, primary, regime.epoch());
                space.await(Mode.PRIMARY);
            }
            CHANGES.incrementAndGet();
        }
    }

    private static Regime regime(AuthorityStore authority) {
        return authority.look(TIMEOUT).map(Reading::regime).orElseThrow();
    }

    /** The return to the primary of whoever prepares it in this epoch of the fallback. */
    static void crown(AuthorityStore authority, PrimaryStore primary, long epoch) {
        String lineage = primary.examine(TIMEOUT).lineage();
        if (authority.change(new Transition.Prepare(epoch, lineage), TIMEOUT)) {
            Regime prepared = regime(authority);
            primary.install(prepared.reign(), prepared.base(), TIMEOUT);
            Optional<LockName> after = Optional.empty();
            List<Carried> page;
            do {
                page = authority.held(epoch + 1, after, 100, TIMEOUT);
                primary.copy(prepared.reign(), page, TIMEOUT);
                after = page.isEmpty()
                        ? after
                        : Optional.of(page.get(page.size() - 1).name());
            } while (!page.isEmpty());
            authority.change(new Transition.Crown(epoch + 1), TIMEOUT);
        }
    }

    /** What the stores of one namespace share. */
    private static final class Space {
        private final ReentrantReadWriteLock turn = new ReentrantReadWriteLock();
        private final AtomicInteger steps = new AtomicInteger();
        private final Set<CompositeLockStore> stores = ConcurrentHashMap.newKeySet();
        private final Map<AcquisitionId, CompositeLockStore> acquirers = new ConcurrentHashMap<>();
        private volatile boolean settled;

        void await(Mode mode) {
            Awaiting.until("all know who grants", () -> stores.stream().allMatch(store -> store.knows(mode)));
        }
    }

    private static final class Changing implements TenuredStore {

        private final CompositeLockStore composite;
        private final Space space;
        private final Runnable change;

        Changing(CompositeLockStore composite, Space space, Runnable change) {
            this.composite = composite;
            this.space = space;
            this.change = change;
        }

        @Override
        public List<Answer> apply(List<Step> steps, Duration timeout) {
            boolean isShort = steps.stream()
                    .anyMatch(step -> step instanceof Step.Acquire acquire
                            && acquire.length().compareTo(LONG) < 0);
            space.settled |= isShort || isForced(steps);
            int count = space.steps.incrementAndGet();
            if ((count == 3 || count == 6) && !space.settled) {
                space.turn.writeLock().lock();
                try {
                    change.run();
                } finally {
                    space.turn.writeLock().unlock();
                }
            }
            space.turn.readLock().lock();
            try {
                List<Answer> answers = underWhoGrants(steps, Deadline.in(timeout));
                space.settled |= answers.stream().anyMatch(Answer.Waiting.class::isInstance);
                return answers;
            } finally {
                space.turn.readLock().unlock();
            }
        }

        /** Where a Redis that stood still was deposed meanwhile, once somebody grants again; steps of a batch keep their order. */
        private List<Answer> underWhoGrants(List<Step> steps, Deadline deadline) {
            List<Answer> answers = composite.apply(steps, Asking.left(deadline));
            while (steps.size() == 1
                    && answers.get(0) instanceof Answer.Unavailable
                    && nobodyGrants()
                    && !deadline.isOver()) {
                Awaiting.until("somebody grants", () -> !nobodyGrants() || deadline.isOver());
                answers = composite.apply(steps, Asking.left(deadline));
            }
            return answers;
        }

        private boolean nobodyGrants() {
            return composite.knows(Mode.DRAIN) || composite.knows(Mode.PREPARE);
        }

        /** Whether it takes away what another acquired, who does not know and would carry it over. */
        private boolean isForced(List<Step> steps) {
            boolean isForced = false;
            for (Step step : steps) {
                if (step instanceof Step.Acquire) {
                    space.acquirers.putIfAbsent(step.id(), composite);
                } else if (step instanceof Step.Release) {
                    isForced |= space.acquirers.getOrDefault(step.id(), composite) != composite;
                }
            }
            return isForced;
        }

        @Override
        public Tenure tenure() {
            return composite.tenure();
        }

        @Override
        public RegimeStatus status(Duration timeout) {
            return composite.status(timeout);
        }

        @Override
        public void watch(Runnable sooner, Consumer<RegimeEvent> events) {
            composite.watch(sooner, events);
        }

        @Override
        public Set<Capability> capabilities() {
            return composite.capabilities();
        }

        @Override
        public AutoCloseable signals(Consumer<Signal> to) {
            return composite.signals(to);
        }

        @Override
        public Stream<LockInfo> inspect(String prefix, Duration timeout) {
            return composite.inspect(prefix, timeout);
        }

        @Override
        public void close() {
            space.stores.remove(composite);
            composite.close();
        }
    }
}
