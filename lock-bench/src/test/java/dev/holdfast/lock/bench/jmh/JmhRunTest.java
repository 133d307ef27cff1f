package dev.holdfast.lock.bench.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.measurement.Quantity;
import java.util.List;
import org.junit.jupiter.api.Test;

class JmhRunTest {

    @Test
    void run_whenAllBenchmarksAreIncluded_givesTimeAndBytesOfEach() throws Exception {
        List<Quantity> quantities = JmhRun.run(0, 1, 20);

        assertThat(quantities)
                .filteredOn(quantity -> quantity.unit().equals("ns"))
                .hasSize(10);
        assertThat(quantities)
                .filteredOn(quantity -> quantity.unit().equals("bytes"))
                .hasSize(10);
        assertThat(quantities).allMatch(quantity -> quantity.value() > 0);
        assertThat(quantities)
                .extracting(Quantity::what)
                .contains("uncontended", "handOffBetween8", "heldByThisProcess");
    }
}
