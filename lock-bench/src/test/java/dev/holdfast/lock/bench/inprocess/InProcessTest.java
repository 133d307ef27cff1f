package dev.holdfast.lock.bench.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.alone.Quantity;
import dev.holdfast.lock.bench.peer.Place;
import java.util.List;
import org.junit.jupiter.api.Test;

/** That each benchmark goes through, and has its quantities. */
class InProcessTest {

    @Test
    void eachBenchmarkHasATimeAndItsBytes() throws Exception {
        List<Quantity> quantities = new InProcess(0, 1, 20).run(new Place(0, "", "", 1));

        assertThat(quantities)
                .filteredOn(quantity -> quantity.unit().equals("ns"))
                .hasSize(7);
        assertThat(quantities)
                .filteredOn(quantity -> quantity.unit().equals("bytes"))
                .hasSize(7);
        assertThat(quantities).allMatch(quantity -> quantity.value() > 0);
        assertThat(quantities)
                .extracting(Quantity::what)
                .contains("uncontended", "handOffBetween8", "heldByThisProcess");
    }
}
