package dev.holdfast.lock.simulation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The engine on a store that is right, whatever happens around them; {@link Seeds} says how to repeat a run. */
@Execution(ExecutionMode.CONCURRENT)
class SimulationTest {

    private static final int RUNS = 600;
    private static final int RUNS_IN_PEACE = 300;

    private final Seeds seeds = new Seeds();

    @Test
    void theEngineKeepsItsPromisesWhateverHappens() {
        seeds.each(RUNS, seed -> new Simulation(seed).run());
    }

    @Test
    void inPeaceWaitersAreServedAtOnceAndNothingIsLeftBehind() {
        seeds.each(RUNS_IN_PEACE, seed -> new Simulation(seed).runInPeace());
    }
}
