package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.memory.MemorySpace;
import java.time.InstantSource;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Contenders report their own failures and overlapping holds. */
class ContendersTest {

    private final History history = new History();
    private final Contenders contenders = new Contenders(history, List.of("job"), 1);

    @AfterEach
    void close() {
        contenders.close();
    }

    @Test
    void contender_thatFails_failsTheWaitAndTheEnd() {
        Locks closed = open();
        closed.close();
        contenders.begin("dying", closed, 1);

        assertThatThrownBy(() -> contenders.awaitProgress("ever")).hasRootCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(contenders::end)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void overlappingHolds_areAViolation() throws Exception {
        try (Locks one = open();
                Locks other = open()) {
            contenders.begin("one", one, 2);
            contenders.begin("other", other, 2);
            Await.until(
                    "they hold it at the same time",
                    () -> history.violations().stream().anyMatch(violation -> violation.startsWith("two holders")));
            contenders.end();
        }
        assertThatThrownBy(() -> history.verify(1)).hasMessageContaining("two holders");
    }

    @Test
    void holdsOfOneStore_doNotOverlap() throws Exception {
        try (Locks one = open()) {
            contenders.begin("one", one, 3);
            contenders.awaitProgress("from the beginning");
            contenders.end();
        }
        history.verify(3);
    }

    /** Opens locks on a new store. */
    private static Locks open() {
        return Locks.open(new MemorySpace(InstantSource.system()).open(), new Properties());
    }
}
