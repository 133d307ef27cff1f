package dev.holdfast.lock.spring.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.FailoverEvent.Kind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.spring.micrometer.GrantingStore.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which store of a composite grants, by its events and by its status before the first of them. */
class GrantingStoreTest {

    /** Null while the composite does not answer. */
    private @Nullable FailoverStatus status;

    private int questions;
    private final List<Runnable> waiting = new ArrayList<>();
    private final GrantingStore granting = new GrantingStore(this::answer, waiting::add);

    private Optional<FailoverStatus> answer() {
        questions++;
        if (status == null) {
            throw new LockUnavailableException("no answer", null);
        }
        return Optional.of(status);
    }

    private void answerQuestions() {
        waiting.forEach(Runnable::run);
        waiting.clear();
    }

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
    void numbers_beforeTheFirstEvent_areThoseOfTheStatusOnceTheCompositeAnswers() {
        assertThat(numbers()).containsOnly(Double.NaN);
        assertThat(waiting).as("one question at a time").hasSize(1);
        answerQuestions();
        assertThat(numbers()).as("there was no answer").containsOnly(Double.NaN);

        status = status("jdbc");
        answerQuestions();
        assertThat(numbers()).containsExactly(0.0, 1.0, 0.0);
        assertThat(waiting).isEmpty();
        assertThat(questions).isEqualTo(2);
    }

    @Test
    void status_thatArrivesAfterAnEvent_isIgnored() {
        granting.ask();
        tell(Kind.FALLBACK_ACTIVE);
        status = status("none");
        answerQuestions();
        assertThat(numbers()).containsExactly(0.0, 1.0, 0.0);
        granting.ask();
        assertThat(waiting).isEmpty();
    }
}
