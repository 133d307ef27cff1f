package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** {@code -Dlock.test.scale=20}, or the profile {@code long}, runs more; {@code -Dlock.simulation.seed=42} repeats one. */
class SimulationTest {

    private static final int SEEDS = 1_500 * Integer.getInteger("lock.test.scale", 1);
    private static final int SEEDS_IN_PEACE = 500 * Integer.getInteger("lock.test.scale", 1);
    private static final int SEEDS_FOR_MUTANTS = 1_000;

    @Test
    void theEngineKeepsItsPromisesWhateverHappens() {
        Long one = Long.getLong("lock.simulation.seed");
        if (one != null) {
            new Simulation(one).run();
            return;
        }
        for (long seed = 0; seed < SEEDS; seed++) {
            run(seed, Simulation::new, Simulation::run);
        }
    }

    @Test
    void inPeaceNothingIsLeftBehind() {
        for (long seed = 0; seed < SEEDS_IN_PEACE; seed++) {
            run(seed, Simulation::new, Simulation::runInPeace);
        }
    }

    @Test
    void findsADeadlineThatCountsFromTheReply() {
        assertThat(found(processes(Mutant.COUNTS_FROM_THE_REPLY))).containsAnyOf("P1", "P2");
    }

    @Test
    void findsAClockThatIsSlowerThanTheSlackAllows() {
        assertThat(found(processes(Mutant.SLOW_CLOCK))).contains("P1");
    }

    @Test
    void findsAnOutageThatPassesForBusy() {
        assertThat(found(processes(Mutant.SILENCE_IS_BUSY))).contains("P6");
    }

    @Test
    void findsTimersThatDoNotFire() {
        assertThat(found(processes(Mutant.DEAF_TIMERS))).containsAnyOf("P1", "liveness");
    }

    @Test
    void findsAStoreThatAnswersTheFullLengthToARepetition() {
        assertThat(found(stores(answer -> answer instanceof Answer.Granted granted
                        ? new Answer.Granted(granted.token(), Simulation.LEASE)
                        : answer)))
                .contains("P1");
    }

    @Test
    void findsAStoreWhoseTokensDoNotRise() {
        assertThat(found(stores(answer -> answer instanceof Answer.Granted granted
                        ? new Answer.Granted(7, granted.remaining())
                        : answer)))
                .contains("P2");
    }

    @Test
    void findsAStoreThatServesWhoeverComesFirst() {
        assertThat(found(seed -> new Simulation(seed) {
                    @Override
                    SimulatedStore newStore(VirtualTime time, Set<Capability> abilities, int handoff) {
                        return new SimulatedStore(time, Set.of(Capability.QUEUE), 1) {
                            @Override
                            Answer carryOut(Step step) {
                                return super.carryOut(step instanceof Step.Acquire asked ? withoutPlace(asked) : step);
                            }
                        };
                    }
                }))
                .contains("P7");
    }

    private static Step withoutPlace(Step.Acquire asked) {
        return new Step.Acquire(asked.name(), asked.id(), asked.length(), false, asked.above(), asked.owner());
    }

    @Test
    void findsAStoreThatNeverTellsWhoWaits() {
        assertThat(found(seed -> new Simulation(seed) {
                    @Override
                    SimulatedStore newStore(VirtualTime time, Set<Capability> abilities, int handoff) {
                        return new SimulatedStore(time, Set.of(Capability.QUEUE, Capability.SIGNALS), handoff) {
                            @Override
                            Answer carryOut(Step step) {
                                Answer answer = super.carryOut(step);
                                return answer instanceof Answer.Waiting
                                        ? new Answer.Waiting(Duration.ofHours(1))
                                        : answer;
                            }

                            @Override
                            AutoCloseable signals(Consumer<Signal> to) {
                                return () -> {};
                            }
                        };
                    }
                }))
                .contains("liveness");
    }

    private static LongFunction<Simulation> processes(Mutant mutant) {
        return seed -> new Simulation(seed) {
            @Override
            SimulatedProcess newProcess(VirtualTime time, SimulatedStore store, Network network, Random random) {
                return mutant.process(time, store, network, random);
            }
        };
    }

    private static LongFunction<Simulation> stores(UnaryOperator<Answer> lie) {
        return seed -> new Simulation(seed) {
            @Override
            SimulatedStore newStore(VirtualTime time, Set<Capability> abilities, int handoff) {
                return new SimulatedStore(time, abilities, handoff) {
                    @Override
                    Answer carryOut(Step step) {
                        return lie.apply(super.carryOut(step));
                    }
                };
            }
        };
    }

    private static String found(LongFunction<Simulation> simulation) {
        for (long seed = 0; seed < SEEDS_FOR_MUTANTS; seed++) {
            Throwable thrown = catchThrowable(simulation.apply(seed)::run);
            if (thrown != null) {
                return String.valueOf(thrown.getMessage());
            }
        }
        return "nothing";
    }

    private static void run(long seed, LongFunction<Simulation> simulation, Consumer<Simulation> way) {
        try {
            way.accept(simulation.apply(seed));
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " (repeat it with -Dlock.simulation.seed=" + seed + ")", e);
        }
    }
}
