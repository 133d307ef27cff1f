package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link Locks#acquireAll} acquires all locks or none, in a fixed order. */
@Execution(ExecutionMode.CONCURRENT)
class AcquireAllTest extends LeaseGroups {

    @Test
    void acquireAll_whenAllAreFree_holdsAllUntilClosed() throws Exception {
        LeaseGroup group = locks.acquireAll(List.of("b", "c", "a"), ChronoUnit.FOREVER.getDuration());

        assertThat(group.names()).as("as given").containsExactly("b", "c", "a");
        assertThat(group.isHeld()).isTrue();
        Stream.of("a", "b", "c").forEach(name -> assertThat(isFree(name)).isFalse());
        group.close();
        Stream.of("a", "b", "c").forEach(name -> assertThat(isFree(name)).isTrue());
    }

    /** Futures complete in the common pool on some JDKs; others start a thread for each on a machine with few cores. */
    @Test
    void acquireAll_whenTheCommonPoolIsBlocked_acquires() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 2 * ForkJoinPool.getCommonPoolParallelism() + 2; i++) {
            ForkJoinPool.commonPool().execute(() -> awaitEnd(end));
        }
        try {
            ann.does(() -> locks.acquireAll(List.of("a", "b"), LONG));
        } finally {
            end.countDown();
        }
        assertThat(isFree("b")).isFalse();
    }

    @Test
    void acquireAll_namesInAnyOrder_acquiresInCodeUnitOrder() throws Exception {
        String beyondTheBasicPlane = "\uD83D\uDD12";
        List<String> inOrder = List.of("A", "B", "a", "a ", "ab", "\u00E4", beyondTheBasicPlane, "\uFFFD");
        List<String> backwards = new ArrayList<>(inOrder);
        Collections.reverse(backwards);

        locks.acquireAll(backwards, Duration.ZERO).close();

        assertThat(store.acquires().map(sent -> sent.command().name().value())).containsExactlyElementsOf(inOrder);
    }

    @Test
    void acquireAll_withInvalidArguments_throwsAndSendsNoCommand() {
        assertThatIllegalArgumentException().isThrownBy(() -> locks.acquireAll(List.of(), LONG));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.acquireAll(List.of("a", "twice", "twice"), LONG))
                .withMessageContaining("'twice'");
        assertThatIllegalArgumentException().isThrownBy(() -> locks.acquireAll(List.of("a", ""), LONG));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.acquireAll(List.of("a"), Duration.ofNanos(-1)))
                .withMessageContaining("wait");
        assertThatNullPointerException().isThrownBy(() -> locks.acquireAll(null, LONG));
        assertThatNullPointerException().isThrownBy(() -> locks.acquireAll(Arrays.asList("a", null), LONG));
        assertThatNullPointerException().isThrownBy(() -> locks.acquireAll(List.of("a"), null));
        assertThat(store.acquires()).isEmpty();
    }

    @Test
    void acquireAll_withoutWait_sendsOneAcquirePerName() throws Exception {
        try (Lease busy = elsewhere.named("b").acquire()) {
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> locks.acquireAll(List.of("c", "b", "a"), Duration.ZERO))
                    .withMessageContaining("'b'");
            assertThat(busy.isHeld()).isTrue();
        }
        assertThat(store.acquires().skip(1).map(sent -> ((LockCommand.Acquire) sent.command()).queue()))
                .containsExactly(false, false);
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void acquireAll_whenTheStoreIsSilent_isUnavailableAndReleasesTheOthers() throws Exception {
        store.cut("b");

        Future<LeaseGroup> acquiring =
                ann.beginsToCall(() -> locks.acquireAll(List.of("a", "b"), Duration.ofSeconds(3)));
        // No time passes before this: for a slow caller the wait would be over, and a would be busy.
        Await.until(
                "the store receives the acquire of b",
                () -> store.acquires()
                        .anyMatch(sent -> sent.command().name().value().equals("b")));
        time.passUntil("the acquire gives up", acquiring::isDone);
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> Person.result(acquiring))
                .withMessageContaining("'b'");
        Await.until("a is released", () -> isFree("a"));
    }

    @Test
    void acquireAll_whenInterruptedBefore_throwsAndSendsNoCommand() throws Exception {
        ann.does(() -> {
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> locks.acquireAll(List.of("a"), Duration.ZERO));
        });
        assertThat(store.acquires()).isEmpty();
    }

    private static void awaitEnd(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
