package dev.holdfast.lock.bench.solo;

import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.measurement.Result;
import java.util.List;

/**
 * The result of a {@link SoloScenario}.
 *
 * @param id of the scenario
 * @param title of the scenario
 */
public record SoloResult(String id, String title, Result<List<Quantity>> result) {

    /** The measured quantities; empty if there are none. */
    public List<Quantity> quantities() {
        return result.measured().orElse(List.of());
    }
}
