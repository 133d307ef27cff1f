package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.Key;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * {@code failing-over}: the composite, with a failover between two commands, as if another process had made it: the third command
 * finds the fallback in power, and the sixth the primary again. Only while all members are open stores of this process, which share
 * one clock, as no other process transfers what it holds; while each of them reaches its servers, as an outage would last longer than
 * an authority lease; and while no lease or minimum hold is short, as a failover takes longer, no command waits, as queues begin anew,
 * and no release is forced.
 */
public final class FailoverProvider implements LockProvider {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofMinutes(5);
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
    public Set<Key> keys() {
        return new CompositeLockProvider().keys();
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        Space space = SPACES.computeIfAbsent(namespace, Space::new);
        CompositeLockStore composite = SteppedProvider.composite(namespace, config, true);
        return new FailoverStore(composite, space, () -> change(namespace, config, space));
    }

    private static void change(Namespace namespace, Config config, Space space) {
        try (AuthorityStore authority = new JdbcLockProvider().openAuthority(namespace, config, false);
                PrimaryStore primary =
                        new RedisLockProvider().primary(namespace, config).get()) {
            Reading reading = reading(authority);
            Regime regime = reading.regime();
            if (reading.members() != space.group.stores().size()) {
                return;
            } else if (regime.mode() == Mode.PRIMARY) {
                authority.change(new Transition.Depose(regime.epoch(), "a test wants it"), TIMEOUT);
                space.await(Mode.FALLBACK, authority, SteppedProvider.timing(config));
            } else if (regime.mode() == Mode.FALLBACK) {
                failBack(authority, primary, regime.epoch());
                space.await(Mode.PRIMARY, authority, SteppedProvider.timing(config));
            }
            CHANGES.incrementAndGet();
        }
    }

    private static Reading reading(AuthorityStore authority) {
        return authority.look(TIMEOUT).orElseThrow();
    }

    /** A complete failback from this epoch of the fallback. */
    static void failBack(AuthorityStore authority, PrimaryStore primary, long epoch) {
        String lineage = primary.examine(TIMEOUT).lineage();
        if (authority.change(new Transition.Prepare(epoch, lineage), TIMEOUT)) {
            Regime prepared = reading(authority).regime();
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
        private final Map<AcquisitionId, CompositeLockStore> acquirers = new ConcurrentHashMap<>();
        private final CompositeGroup group;
        private volatile boolean settled;

        Space(Namespace namespace) {
            group = CompositeGroup.of(namespace.value());
        }

        /** If a member of another process has joined, which has another clock, real time has to pass. */
        void await(Mode mode, AuthorityStore authority, Timing timing) {
            boolean isAlone = reading(authority).members() == group.stores().size();
            Await.until("all members know which store grants", () -> {
                boolean isKnown = group.stores().stream().allMatch(store -> store.isIn(mode));
                if (!isKnown && isAlone) {
                    group.step(timing);
                }
                return isKnown;
            });
        }
    }

    private static final class FailoverStore extends SteppedStore {

        private final CompositeLockStore composite;
        private final Space space;
        private final Runnable change;

        FailoverStore(CompositeLockStore composite, Space space, Runnable change) {
            super(composite, space.group);
            this.composite = composite;
            this.space = space;
            this.change = change;
        }

        @Override
        public List<Answer> apply(List<Step> steps, Duration timeout) {
            space.settled |= steps.stream().anyMatch(FailoverStore::isShort) || isForced(steps);
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
                List<Answer> answers = composite.apply(steps, timeout);
                space.settled |= answers.stream()
                        .anyMatch(each -> each instanceof Answer.Waiting || each instanceof Answer.Unavailable);
                return answers;
            } finally {
                space.turn.readLock().unlock();
            }
        }

        @Override
        public void close() {
            space.settled = true;
            super.close();
        }

        private static boolean isShort(Step step) {
            if (step instanceof Step.Acquire acquire) {
                return acquire.length().compareTo(LONG) < 0;
            }
            return step instanceof Step.Release release
                    && !release.keep().isZero()
                    && release.keep().compareTo(LONG) < 0;
        }

        /** Whether it forces the release of a lock of another store, which does not know and would transfer it. */
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
    }
}
