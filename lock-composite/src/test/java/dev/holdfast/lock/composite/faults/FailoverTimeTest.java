package dev.holdfast.lock.composite.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.regime.Timing;
import org.junit.jupiter.api.Test;

/** After a master's death nobody is granted anything before the leases of its reign have drained, and somebody is afterwards. */
class FailoverTimeTest {

    @Test
    void aNewcomerIsGrantedALockAfterTheDrain() throws Exception {
        Timing timing = new Timing(Composites.REGIME_LEASE);
        try (Composites composites = new Composites()) {
            assertThat(FailoverTime.measure(composites, "death", timing)).isGreaterThanOrEqualTo(timing.drain());
        }
    }
}
