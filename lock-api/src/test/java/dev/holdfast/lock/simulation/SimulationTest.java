package dev.holdfast.lock.simulation;

import dev.holdfast.lock.testing.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The engine on a correct store, with faults around both; {@link Seeds} explains how to repeat a run. */
@Execution(ExecutionMode.CONCURRENT)
class SimulationTest {

    private static final int RUNS = 200;
    private static final int RUNS_IN_PEACE = 100;

    @Test
    void engine_underRandomFaults_keepsItsPromises() {
        Seeds.runSome(RUNS, seed -> new Simulation(seed).run());
    }

    @Test
    void engine_withoutFaults_servesWaitersAtOnceAndLeavesNothingBehind() {
        Seeds.runSome(RUNS_IN_PEACE, seed -> new Simulation(seed).runInPeace());
    }
}
