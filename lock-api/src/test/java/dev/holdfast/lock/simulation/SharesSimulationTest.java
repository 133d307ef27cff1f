package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.testing.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The engine with readers, writers and permits, on a correct store and on broken ones, with faults around both. */
@Execution(ExecutionMode.CONCURRENT)
class SharesSimulationTest {

    private static final int RUNS = 200;
    private static final int RUNS_IN_PEACE = 60;

    private static final Set<Capability> ALL = Set.of(Capability.QUEUE, Capability.NOTIFICATIONS, Capability.SHARES);

    private static final List<Share> SHARES =
            List.of(Share.EXCLUSIVE, Share.shared(), Share.shared(), new Share(1, 3), new Share(2, 3), new Share(3, 4));

    /** Calls of all kinds of shares on the same names. */
    private static class SharesSimulation extends Simulation {

        SharesSimulation(long seed) {
            super(seed);
        }

        @Override
        SimulatedStore newStore(VirtualTime time, Set<Capability> abilities, int handoff) {
            return new SimulatedStore(time, ALL, handoff);
        }

        @Override
        Share share(Random source) {
            return SHARES.get(source.nextInt(SHARES.size()));
        }
    }

    @Test
    void shares_underRandomFaults_keepTheirPromises() {
        Seeds.runSome(RUNS, seed -> new SharesSimulation(seed).run());
    }

    @Test
    void shares_withoutFaults_leaveNothingBehind() {
        Seeds.runSome(RUNS_IN_PEACE, seed -> new SharesSimulation(seed).runInPeace());
    }

    @Test
    void simulation_whenStoreCountsNoPermits_reportsOverlappingLeases() {
        assertThat(Seeds.found(
                        RUNS,
                        seed -> new SharesSimulation(seed) {
                            @Override
                            SimulatedStore newStore(VirtualTime time, Set<Capability> abilities, int handoff) {
                                return new SimulatedStore(time, ALL, handoff) {
                                    @Override
                                    LockReply carryOut(LockCommand command) {
                                        return super.carryOut(
                                                command instanceof LockCommand.Acquire acquire
                                                        ? asReader(acquire)
                                                        : command);
                                    }
                                };
                            }
                        }.run()))
                .contains("P1");
    }

    @Test
    void simulation_whenStoreGrantsAllUntilTheLastEnd_reportsOverlappingLeases() {
        assertThat(Seeds.found(
                        RUNS,
                        seed -> new SharesSimulation(seed) {
                            @Override
                            SimulatedStore newStore(VirtualTime time, Set<Capability> abilities, int handoff) {
                                return new SimulatedStore(time, ALL, handoff) {
                                    @Override
                                    LockReply carryOut(LockCommand command) {
                                        LockReply reply = super.carryOut(command);
                                        return command instanceof LockCommand.Renew
                                                        && reply instanceof LockReply.Granted granted
                                                ? new LockReply.Granted(
                                                        granted.token(),
                                                        granted.remaining().plus(Duration.ofSeconds(2)))
                                                : reply;
                                    }
                                };
                            }
                        }.run()))
                .contains("P1");
    }

    private static LockCommand asReader(LockCommand.Acquire acquire) {
        return new LockCommand.Acquire(
                acquire.name(),
                acquire.id(),
                acquire.lease(),
                acquire.queue(),
                acquire.tokenFloor(),
                acquire.owner(),
                Share.shared());
    }
}
