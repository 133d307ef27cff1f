package dev.holdfast.lock.contract;

import dev.holdfast.lock.testing.Seeds;
import dev.holdfast.lock.testing.SteppedMemory;
import org.junit.jupiter.api.Test;

/** {@link ExplainedHistory} on the memory store. */
class ExplainedHistoryTest {

    private static final int SEEDS = 50;

    @Test
    void commands_onTheMemoryStore_areDecidedAsBothModelsDemand() {
        Seeds.runSome(SEEDS, seed -> ExplainedHistory.run(seed, new SteppedMemory()));
    }
}
