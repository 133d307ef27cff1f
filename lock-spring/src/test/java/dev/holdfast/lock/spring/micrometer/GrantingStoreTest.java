package dev.holdfast.lock.spring.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.FailoverEvent.Kind;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.spring.micrometer.GrantingStore.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which store of a composite grants, by its events. */
class GrantingStoreTest {

    private final GrantingStore granting = new GrantingStore();

    private List<Double> numbers() {
        return Arrays.stream(Store.values()).map(granting::asNumber).toList();
    }

    private void tell(Kind kind) {
        granting.changed(new FailoverEvent(kind, 2, "a test", Duration.ZERO, 0));
    }

    private static FailoverStatus status(String active) {
        Instant now = Instant.EPOCH;
        return new FailoverStatus("redis", "jdbc", active, 2, now, "a test", Duration.ofSeconds(10), 1, 0, 0);
    }

    @Test
    void numbers_beforeAnyEvent_areUnknown() {
        assertThat(numbers()).containsOnly(Double.NaN);
    }

    @Test
    void numbers_afterEachEvent_areOneForTheGrantingStore() {
        tell(Kind.PRIMARY_SUSPECTED);
        assertThat(numbers()).as("suspected, and goes on granting").containsExactly(1.0, 0.0, 0.0);
        tell(Kind.PRIMARY_DRAINING);
        assertThat(numbers()).containsExactly(0.0, 0.0, 1.0);
        tell(Kind.FALLBACK_ACTIVE);
        assertThat(numbers()).containsExactly(0.0, 1.0, 0.0);
        tell(Kind.PRIMARY_SUSPECTED);
        assertThat(numbers()).containsExactly(0.0, 1.0, 0.0);
        tell(Kind.FAILING_BACK);
        assertThat(numbers()).containsExactly(0.0, 0.0, 1.0);
        tell(Kind.PRIMARY_ACTIVE);
        assertThat(numbers()).containsExactly(1.0, 0.0, 0.0);
    }

    @Test
    void startFrom_beforeTheFirstEvent_isTheStatus() {
        granting.startFrom(status("jdbc"));
        assertThat(numbers()).containsExactly(0.0, 1.0, 0.0);
        granting.startFrom(status("redis"));
        assertThat(numbers()).as("known already").containsExactly(0.0, 1.0, 0.0);
    }

    @Test
    void startFrom_afterAnEvent_isIgnored() {
        tell(Kind.FALLBACK_ACTIVE);
        granting.startFrom(status("none"));
        assertThat(numbers()).containsExactly(0.0, 1.0, 0.0);
    }
}
