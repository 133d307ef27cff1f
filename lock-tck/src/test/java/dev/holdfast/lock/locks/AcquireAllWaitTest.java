package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link Locks#acquireAll} while one of the locks is held by another: however the wait ends, none is kept. */
@Execution(ExecutionMode.CONCURRENT)
class AcquireAllWaitTest extends LeaseGroups {

    @Test
    void whatWasAcquiredIsReleasedWhenTheWaitIsOver() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(Duration.ofSeconds(4));
            time.pass(Duration.ofSeconds(4));

            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'b'");
            Await.until("a is released", () -> isFree("a"));
            assertThat(busy.isHeld()).isTrue();
        }
        Await.until("what was waited by is undone", () -> isFree("b"));
    }

    @Test
    void theWaitIsForAllTogether() throws Exception {
        store.whenAskedFor("a", () -> time.pass(Duration.ofSeconds(1)));
        CompletableFuture<Duration> waitedForTheSecond = new CompletableFuture<>();
        locks.addListener(new LockListener() {
            @Override
            public void acquireFailed(String name, Duration waited) {
                waitedForTheSecond.complete(waited);
            }
        });
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(Duration.ofSeconds(3));
            time.pass(Duration.ofSeconds(2));
            time.passUntil("it gives up, at the latest now", waiting::isDone);

            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'b' was busy to the end of the wait of 3s");
            assertThat(busy.isHeld()).isTrue();
        }
        assertThat(Person.result(waitedForTheSecond)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void anInterruptEndsItAndNothingIsHeldLater() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(LONG);
            ann.interrupt();

            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'b'");
            Await.until("a is released", () -> isFree("a"));
            assertThat(busy.release()).isTrue();
            Await.until("what was waited by is undone", () -> isFree("b"));
        }
    }

    @Test
    void aLossMeanwhileEndsItAtOnce() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(ChronoUnit.FOREVER.getDuration());
            store.end("a");
            time.pass(RENEWAL);

            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'a'");
            assertThat(busy.release()).as("held by another all the while").isTrue();
            Await.until("what was waited by is undone", () -> isFree("b"));
        }
    }

    @Test
    void closedLocksAcquireNothing() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(LONG);
            locks.close();

            assertThatThrownBy(() -> Person.result(waiting)).isExactlyInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> locks.acquireAll(List.of("c"), LONG))
                    .isExactlyInstanceOf(IllegalStateException.class);
            assertThat(isFree("a")).isTrue();
            assertThat(busy.isHeld()).isTrue();
        }
    }

    /**
     * Begins to acquire a and b, and has a; b is held by another. As an engine begins to listen, it asks a second time, and when
     * that is answered, it is to ask again later: until then a silent store and a busy lock look the same.
     */
    private Future<LeaseGroup> beginsToWaitForB(Duration wait) {
        Future<LeaseGroup> waiting = ann.beginsToAnswer(() -> locks.acquireAll(List.of("b", "a"), wait));
        Await.until(
                "it waits for b",
                () -> store.acquires("b").count() == 1 + 2 && time.isSet(QueueTimes.REFRESH_INTERVAL));
        ann.awaitWaiting();
        return waiting;
    }
}
