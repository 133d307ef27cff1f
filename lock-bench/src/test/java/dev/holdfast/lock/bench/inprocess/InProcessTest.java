package dev.holdfast.lock.bench.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.peer.Place;
import dev.holdfast.lock.bench.scenario.Figure;
import java.util.List;
import org.junit.jupiter.api.Test;

/** That each benchmark goes through, and has its figures. */
class InProcessTest {

    @Test
    void eachBenchmarkHasATimeAndItsBytes() throws Exception {
        List<Figure> figures = new InProcess(0, 1, 20).run(new Place(0, "", "", 1));

        assertThat(figures).filteredOn(figure -> figure.unit().equals("ns")).hasSize(7);
        assertThat(figures).filteredOn(figure -> figure.unit().equals("bytes")).hasSize(7);
        assertThat(figures).allMatch(figure -> figure.value() > 0);
        assertThat(figures).extracting(Figure::what).contains("uncontended", "handOffBetween8", "heldByThisProcess");
    }
}
