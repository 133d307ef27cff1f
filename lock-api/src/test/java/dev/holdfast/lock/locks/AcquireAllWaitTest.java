package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LeaseKind;
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

/** {@link Locks#acquireAll} while another process holds one of the locks: a wait that fails keeps none of them. */
@Execution(ExecutionMode.CONCURRENT)
class AcquireAllWaitTest extends LeaseGroups {

    @Test
    void acquireAll_whenTheWaitEnds_timesOutAndReleasesTheAcquired() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(Duration.ofSeconds(4));
            time.pass(Duration.ofSeconds(4));

            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'b'");
            Await.until("a is released", () -> isFree("a"));
            assertThat(busy.isHeld()).isTrue();
        }
        Await.until("the queued acquire is withdrawn", () -> isFree("b"));
    }

    @Test
    void wait_overSeveralNames_isSharedByAll() throws Exception {
        store.beforeAcquire("a", () -> time.pass(Duration.ofSeconds(1)));
        CompletableFuture<Duration> waitForB = new CompletableFuture<>();
        locks.addListener(new LockListener() {
            @Override
            public void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {
                waitForB.complete(waited);
            }
        });
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(Duration.ofSeconds(3));
            time.pass(Duration.ofSeconds(2));
            time.passUntil("the acquire gives up, at the latest now", waiting::isDone);

            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'b' was busy to the end of the wait of 3s");
            assertThat(busy.isHeld()).isTrue();
        }
        assertThat(Person.result(waitForB)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void acquireAll_whenInterrupted_throwsAndHoldsNothing() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(LONG);
            ann.interrupt();

            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'b'");
            Await.until("a is released", () -> isFree("a"));
            assertThat(busy.release()).isTrue();
            Await.until("the queued acquire is withdrawn", () -> isFree("b"));
        }
    }

    @Test
    void acquireAll_whenAnAcquiredLeaseIsLost_throwsAndHoldsNothing() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(ChronoUnit.FOREVER.getDuration());
            store.end("a");
            time.pass(RENEWAL);

            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> Person.result(waiting))
                    .withMessageContaining("'a'");
            assertThat(busy.release()).as("b was held elsewhere throughout").isTrue();
            Await.until("the queued acquire is withdrawn", () -> isFree("b"));
        }
    }

    @Test
    void acquireAll_whenLocksAreClosed_throwsIllegalState() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            Future<LeaseGroup> waiting = beginsToWaitForB(LONG);
            locks.close();

            assertThatThrownBy(() -> Person.result(waiting)).isExactlyInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> locks.acquireAll(List.of("c"), LONG))
                    .isExactlyInstanceOf(IllegalStateException.class);
            Await.until("a is free, even if closing did not wait for so long", () -> isFree("a"));
            assertThat(busy.isHeld()).isTrue();
        }
    }

    /**
     * Begins to acquire a and b, and returns once a is held; another process holds b. When the engine subscribes, it sends a second
     * acquire. After the reply to that, it sets a timer for the next: before that, a silent store and a busy lock look the same.
     */
    private Future<LeaseGroup> beginsToWaitForB(Duration wait) {
        Future<LeaseGroup> waiting = ann.beginsToCall(() -> locks.acquireAll(List.of("b", "a"), wait));
        Await.until(
                "the acquire waits for b",
                () -> store.acquires("b").count() == 1 + 2 && time.isSet(QueueTimes.REFRESH_INTERVAL));
        ann.awaitWaiting();
        return waiting;
    }
}
