package dev.holdfast.lock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.tck.faults.TurnaroundCounter;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a store owes to an application that is a round trip of 20 ms away from its server. */
@Timeout(300)
public abstract class SlowNetworkContract {

    private static final Duration ONE_WAY = Duration.ofMillis(10);
    private static final Duration CALL = Duration.ofMinutes(1);
    private static final Duration LEASE = Duration.ofMinutes(10);

    private static final int MANY = 500;

    /**
     * For the packets of a long batch, and for work of the store's beside it, of which pruning takes some eighty. A round trip for
     * each command is far more.
     */
    private static final int MORE_FOR_MANY = 120;

    private static final int FEW = 10;

    private final TurnaroundCounter turnarounds = new TurnaroundCounter();
    private FaultyProxy network;

    /** Where the server listens. */
    protected abstract InetSocketAddress server();

    /** How the store is opened, through this port of the loopback address. */
    protected abstract Properties configuration(int port);

    /** About how many round trips the driver takes for one statement; the limits grow with it. */
    protected int tripsPerStatement() {
        return 1;
    }

    /** The store itself, by such a configuration; with a call time-out of a minute. */
    protected abstract LockStore open(Properties configuration);

    @BeforeEach
    void beFarAway() {
        network = new FaultyProxy(server(), turnarounds);
        network.delay(Direction.TO_SERVER, ONE_WAY);
        network.delay(Direction.TO_CLIENT, ONE_WAY);
    }

    @AfterEach
    void close() {
        network.close();
    }

    /** The names and ids of a batch. */
    private static List<LockCommand> commands(int count, IntFunction<LockCommand> command) {
        return IntStream.range(0, count).mapToObj(command).toList();
    }

    private static LockName name(int number) {
        return new LockName("far:" + number);
    }

    private static AcquisitionId id() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new AcquisitionId(random.nextLong(), random.nextLong());
    }

    private int cost(LockStore store, List<LockCommand> commands, Class<? extends LockReply> replies) {
        int before = turnarounds.count();
        assertThat(store.execute(commands, CALL)).hasSize(commands.size()).hasOnlyElementsOfType(replies);
        return turnarounds.count() - before;
    }

    private static LockCommand.Acquire acquire(LockName name, AcquisitionId id, boolean queue) {
        return new LockCommand.Acquire(name, id, LEASE, queue, 0, "far away");
    }

    @Test
    void batch_ofAnyKind_takesNoRoundTripForEachCommand() throws Exception {
        try (LockStore store = open(configuration(network.port()))) {
            List<AcquisitionId> ids =
                    IntStream.range(0, MANY).mapToObj(any -> id()).toList();
            List<AcquisitionId> waiting =
                    IntStream.range(0, MANY).mapToObj(any -> id()).toList();
            store.execute(List.of(acquire(new LockName("connects"), id(), false)), CALL);
            for (int round = 0; round < 2; round++) { // locks that were never used, and some that were
                int count = round == 0 ? 10 : MANY;
                String of = " of " + count + " commands";
                assertCost("acquire" + of, store, commands(count, i -> acquire(name(i), ids.get(i), false)));
                assertCost(
                        "renew" + of, store, commands(count, i -> new LockCommand.Renew(name(i), ids.get(i), LEASE)));
                assertCost("queue" + of, store, commands(count, i -> acquire(name(i), waiting.get(i), true)));
                assertCost("mixed" + of, store, commands(count, i -> switch (i % 3) {
                    case 0 -> new LockCommand.Renew(name(i), ids.get(i), LEASE);
                    case 1 -> acquire(name(i), id(), false);
                    default -> new LockCommand.Release(name(i), waiting.get(i), Duration.ZERO, Duration.ofMinutes(1));
                }));
                assertCost(
                        "release" + of,
                        store,
                        commands(
                                count,
                                i -> new LockCommand.Release(name(i), ids.get(i), Duration.ZERO, Duration.ZERO)));
                assertCost(
                        "withdrawal" + of,
                        store,
                        commands(
                                count,
                                i -> new LockCommand.Release(
                                        name(i), waiting.get(i), Duration.ZERO, Duration.ofMinutes(1))));
            }
            assertThat(exceeded).as("round trips of a batch").isEmpty();
        }
    }

    private final List<String> exceeded = new ArrayList<>();

    private void assertCost(String what, LockStore store, List<LockCommand> commands) {
        int cost = cost(store, commands, LockReply.class);
        if (cost > MORE_FOR_MANY * tripsPerStatement()) {
            exceeded.add(what + ": " + cost);
        }
    }

    @Test
    void call_ofOneCommand_takesFewRoundTrips() throws Exception {
        try (LockStore store = open(configuration(network.port()))) {
            store.execute(List.of(acquire(new LockName("connects"), id(), false)), CALL);
            AcquisitionId id = id();
            assertThat(cost(store, List.of(acquire(name(0), id, false)), LockReply.Granted.class))
                    .isLessThanOrEqualTo(FEW * tripsPerStatement());
            assertThat(cost(store, List.of(new LockCommand.Renew(name(0), id, LEASE)), LockReply.Granted.class))
                    .isLessThanOrEqualTo(FEW * tripsPerStatement());
            assertThat(cost(
                            store,
                            List.of(new LockCommand.Release(name(0), id, Duration.ZERO, Duration.ZERO)),
                            LockReply.Released.class))
                    .isLessThanOrEqualTo(FEW * tripsPerStatement());
        }
    }

    /** Over three renewals of each: a renewal that took a round trip would take 20 s for all. */
    @Test
    @Tag("long")
    void leases_whenAThousandAreHeld_stayHeld() throws Exception {
        Properties settings = configuration(network.port());
        settings.setProperty("lock.lease", "15s");
        settings.setProperty("lock.call-timeout", "5s");
        try (Locks locks = LocksOpener.open(settings)) {
            List<CompletableFuture<Lease>> held = new ArrayList<>();
            for (int number = 0; number < 1_000; number++) {
                held.add(locks.named("held:" + number).acquireAsync(Duration.ofMinutes(2)));
            }
            List<Lease> leases = new ArrayList<>();
            for (CompletableFuture<Lease> each : held) {
                leases.add(Await.result(each));
            }
            long start = System.nanoTime();
            Await.until(
                    "three renewals are over",
                    () -> System.nanoTime() - start > Duration.ofSeconds(20).toNanos());
            assertThat(leases).allMatch(Lease::isHeld);
            leases.forEach(Lease::close);
        }
    }
}
