package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.testing.Seeds;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A writer among busy readers, and a request for all permits among requests for one: each waits for those that came before it and for no
 * other, in virtual time. The crowd asks again as soon as it has released.
 */
@Execution(ExecutionMode.CONCURRENT)
class StarvationTest {

    private static final int RUNS = 2;
    private static final int PROCESSES = 5;
    private static final int CROWD = 50;
    private static final int PERMITS = 10;
    private static final int REQUESTS = 10;

    private static final long MILLI = 1_000_000;
    private static final long LONGEST_HOLD = 20 * MILLI;
    private static final long LONGEST_PAUSE = 2 * MILLI;
    /** Longer than a request takes to the store: the order in which two arrive is unknown if they are sent within this time. */
    private static final long ON_THE_WAY = 2 * MILLI;
    /** From a release to the grant that it makes room for: a command, a notification, a command and its reply, each a millisecond at most. */
    private static final long HAND_OVER = 5 * MILLI;

    @Test
    void writer_amongFiftyBusyReaders_waitsOnlyForThoseBeforeIt() {
        Seeds.runSome(RUNS, seed -> new Crowd(seed, Share.shared(), Share.EXCLUSIVE).run(1));
    }

    @Test
    void requestForAllPermits_amongFiftyForOne_waitsOnlyForThoseBeforeIt() {
        int generations = CROWD / PERMITS; // those before it have the permits one after another, ten at a time
        Seeds.runSome(
                RUNS, seed -> new Crowd(seed, new Share(1, PERMITS), new Share(PERMITS, PERMITS)).run(generations));
    }

    @Test
    void writer_withoutAPlaceInTheQueue_isReportedAsOvertaken() {
        assertThat(Seeds.found(
                        RUNS,
                        seed -> new Crowd(seed, Share.shared(), Share.EXCLUSIVE) {
                            @Override
                            SimulatedStore newStore(VirtualTime virtualTime) {
                                return new SimulatedStore(virtualTime, Crowd.ALL, Crowd.HANDOFF) {
                                    @Override
                                    LockReply carryOut(LockCommand command) {
                                        return super.carryOut(withoutPlace(command));
                                    }
                                };
                            }
                        }.run(1)))
                .contains("came later");
    }

    private static LockCommand withoutPlace(LockCommand command) {
        if (!(command instanceof LockCommand.Acquire acquire && acquire.share().isExclusive())) {
            return command;
        }
        return new LockCommand.Acquire(
                acquire.name(),
                acquire.id(),
                acquire.lease(),
                false,
                acquire.tokenFloor(),
                acquire.owner(),
                acquire.share());
    }

    /** Callers with small shares, and now and then one with a large share. */
    private static class Crowd {

        private static final Set<Capability> ALL =
                Set.of(Capability.QUEUE, Capability.NOTIFICATIONS, Capability.SHARES);
        private static final int HANDOFF = 16;
        private static final LockName NAME = new LockName("job");
        private static final Duration LIMIT = Duration.ofMinutes(1);

        private final VirtualTime time = new VirtualTime();
        private final Random random;
        private final Share small;
        private final Share large;
        /** When the large share was asked for; negative while it is not. */
        private long asked = -1;
        /** How many were granted before it since then. */
        private int before;

        private int served;
        private long longestWait;

        Crowd(long seed, Share small, Share large) {
            this.random = new Random(seed);
            this.small = small;
            this.large = large;
        }

        SimulatedStore newStore(VirtualTime virtualTime) {
            return new SimulatedStore(virtualTime, ALL, HANDOFF);
        }

        /** @param generations how often holders of the small share, as many as fit, may follow each other before the large one */
        void run(int generations) {
            SimulatedStore store = newStore(time);
            Network network = new Network();
            for (int process = 0; process < PROCESSES; process++) {
                SimulatedProcess crowd = new SimulatedProcess(time, store, network, random);
                for (int caller = 0; caller < CROWD / PROCESSES; caller++) {
                    time.after(random.nextLong(LONGEST_HOLD), () -> crowd.run(() -> askForSmall(crowd)));
                }
            }
            SimulatedProcess other = new SimulatedProcess(time, store, network, random);
            time.after(2 * LONGEST_HOLD, () -> other.run(() -> askForLarge(other)));
            time.run(LIMIT, () -> served == REQUESTS);
            assertThat(served)
                    .as("requests for the large share that were granted")
                    .isEqualTo(REQUESTS);
            assertThat(longestWait)
                    .as("longest wait for the large share, in nanoseconds")
                    .isLessThanOrEqualTo((generations + 1) * (LONGEST_HOLD + HAND_OVER));
        }

        private void askForSmall(SimulatedProcess process) {
            long since = time.now();
            acquire(process, small, held -> {
                if (asked >= 0) {
                    before++;
                    check(since < asked + ON_THE_WAY, "a share was granted that came later");
                    check(before <= CROWD, "more shares were granted than there are callers");
                }
                time.after(
                        random.nextLong(LONGEST_HOLD),
                        () -> process.run(() -> {
                            release(held);
                            time.after(random.nextLong(LONGEST_PAUSE), () -> process.run(() -> askForSmall(process)));
                        }));
            });
        }

        private void askForLarge(SimulatedProcess process) {
            asked = time.now();
            before = 0;
            acquire(process, large, held -> {
                longestWait = Math.max(longestWait, time.now() - asked);
                asked = -1;
                served++;
                release(held);
                time.after(random.nextLong(3 * LONGEST_HOLD), () -> process.run(() -> askForLarge(process)));
            });
        }

        private void check(boolean condition, String what) {
            assertThat(condition)
                    .as("%s, while one with %s waited for %d ns", what, large, time.now() - asked)
                    .isTrue();
        }

        private static void acquire(SimulatedProcess process, Share share, Consumer<LeaseHolder> granted) {
            LeaseOptions options = new LeaseOptions(Duration.ofSeconds(30), true, Duration.ZERO, Duration.ofSeconds(3))
                    .withShare(share);
            process.engine()
                    .acquire(
                            NAME,
                            options,
                            WaitPolicy.unlimited(),
                            Lane.CALLER,
                            result -> granted.accept(((AcquireResult.Held) result).holder()));
        }

        private static void release(LeaseHolder held) {
            assertThat(held.release(Lane.CALLER, Duration.ZERO, ended -> {})).isTrue();
        }
    }
}
