package dev.holdfast.lock.bench.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.bench.measurement.Overtakes.Visit;
import java.util.List;
import org.junit.jupiter.api.Test;

class OvertakesTest {

    private static final long HEAD_START = 10;

    @Test
    void overtakes_whenGrantsFollowTheOrderOfArrival_areZero() {
        assertThat(overtakes(visit(0, 100), visit(20, 101), visit(40, 102))).isEqualTo(new Overtakes(0, 0));
    }

    @Test
    void overtakes_whenGrantsReverseTheOrderOfArrival_countEachOvertakenVisit() {
        assertThat(overtakes(visit(0, 102), visit(20, 101), visit(40, 100))).isEqualTo(new Overtakes(2, 40));
    }

    @Test
    void overtakes_whenHeadStartIsTooSmall_areReportedButNotCounted() {
        assertThat(overtakes(visit(0, 101), visit(9, 100))).isEqualTo(new Overtakes(0, 9));
        assertThat(overtakes(visit(0, 101), visit(10, 100))).isEqualTo(new Overtakes(1, 10));
    }

    @Test
    void overtakes_whenVisitsAreUnordered_areTheSame() {
        assertThat(overtakes(visit(40, 100), visit(0, 102), visit(20, 101))).isEqualTo(new Overtakes(2, 40));
    }

    private static Overtakes overtakes(Visit... visits) {
        return Overtakes.of(List.of(visits), HEAD_START);
    }

    private static Visit visit(long asked, long granted) {
        return new Visit(asked, granted, granted);
    }
}
