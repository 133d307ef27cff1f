package dev.holdfast.lock.composite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.simulation.MemoryServers;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Hundreds of failovers while threads of several composites take locks from each other: with servers in memory, and a
 * clock that is set ahead, so that what goes wrong in one change of a hundred shows.
 */
@Tag("second-build")
class RepeatedFailoverTest {

    private static final int FAILOVERS = 200 * Integer.getInteger("lock.test.scale", 1);
    private static final int COMPOSITES = 3;
    private static final Timing TIMING = new Timing(Duration.ofMinutes(1));
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final List<String> NAMES = List.of("red", "green", "blue", "white");

    private final long seed = Seeds.any();
    private final CompositeGroup group = CompositeGroup.of("many-changes-" + UUID.randomUUID());
    private final MemoryServers servers = new MemoryServers(group.time(), TIMING.lease());
    private final AuthorityStore authority = servers.authority();
    private final PrimaryStore primary = servers.primary();
    private final List<Locks> composites = new ArrayList<>();
    private final List<SteppedStore> stores = new ArrayList<>();

    @BeforeEach
    void open() {
        for (int number = 0; number < COMPOSITES; number++) {
            CompositeLockStore composite = new CompositeLockStore(
                    new Namespace("many"),
                    Set.of(Capability.QUEUE, Capability.NOTIFICATIONS),
                    "primary",
                    () -> primary,
                    "authority",
                    authority,
                    TIMING,
                    Duration.ZERO,
                    group.clock());
            composite.start(true, TIMEOUT);
            stores.add(new SteppedStore(composite, group));
            composites.add(Locks.open(stores.get(number), properties()));
        }
        awaitAllKnow(FailoverPhase.PRIMARY);
    }

    private static Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("lock.lease", "30d");
        properties.setProperty("lock.call-timeout", "1m");
        return properties;
    }

    @AfterEach
    void close() {
        composites.forEach(Locks::close);
        stores.forEach(SteppedStore::close);
        servers.close();
    }

    @Test
    void locks_throughManyFailovers_haveOneHolderAtATime() throws Exception {
        History history = new History();
        try (Contenders contenders = new Contenders(history, NAMES, seed)) {
            for (int number = 0; number < COMPOSITES; number++) {
                contenders.begin("composite-" + number, composites.get(number), 2);
            }
            failOverRepeatedly();
            contenders.awaitProgress("after all changes");
            contenders.end();
        }
        history.verify(FAILOVERS);
    }

    @Test
    void minimumHolds_throughManyFailovers_keepTheLockBusy() throws Exception {
        MinimumHolds holds = new MinimumHolds(group.clock(), seed);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> running = new ArrayList<>();
            for (String name : NAMES) {
                for (Locks locks : composites) {
                    running.add(threads.submit(() -> holds.take(locks.named(name))));
                }
            }
            failOverRepeatedly();
            holds.end();
            for (Future<?> each : running) {
                Await.result(each);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(holds.violations()).isEmpty();
        assertThat(holds.count()).isGreaterThan(FAILOVERS / 10);
    }

    private void failOverRepeatedly() {
        Random random = new Random(seed);
        for (int number = 0; number < FAILOVERS; number++) {
            AuthorityState state =
                    authority.peek(TIMEOUT).map(AuthorityReading::state).orElseThrow();
            assertThat(state.phase()).isEqualTo(FailoverPhase.PRIMARY);
            if (random.nextInt(4) == 0) {
                servers.flush();
            } else {
                authority.transition(new Transition.DrainPrimary(state.epoch(), "a test wants it"), TIMEOUT);
            }
            awaitAllKnow(FailoverPhase.FALLBACK);
            pause(random);
            FailoverProvider.failBack(authority, primary, epoch());
            awaitAllKnow(FailoverPhase.PRIMARY);
            pause(random);
        }
    }

    private long epoch() {
        return authority
                .peek(TIMEOUT)
                .map(AuthorityReading::state)
                .orElseThrow()
                .epoch();
    }

    private void awaitAllKnow(FailoverPhase phase) {
        group.stepUntil(
                "all know " + phase, TIMING, () -> group.stores().stream().allMatch(each -> each.isIn(phase)));
    }

    /** For as long as a hold lasts, or less. */
    private static void pause(Random random) {
        LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(3)));
    }
}
