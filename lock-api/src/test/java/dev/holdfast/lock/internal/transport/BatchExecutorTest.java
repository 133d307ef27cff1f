package dev.holdfast.lock.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.Logged;
import dev.holdfast.lock.internal.time.DaemonThreads;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.failover.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On which thread a command runs, and in which batch. */
@Timeout(2 * BatchExecutorTest.HANG)
class BatchExecutorTest {

    private static final Duration CALL = Duration.ofSeconds(3);
    /** The limit of a wait, in seconds. */
    static final int HANG = 180;

    /** One call of the store. */
    private record Call(List<LockCommand> commands, Thread thread, CountDownLatch mayReturn) {}

    private final BlockingQueue<Call> underWay = new LinkedBlockingQueue<>();
    private final DaemonThreads threads = new DaemonThreads();
    private BatchExecutor calls = calls(1);

    private BatchExecutor calls(int parallelCalls) {
        return new BatchExecutor(new Gate(parallelCalls), Clock.SYSTEM, threads::pool);
    }

    /** A store whose calls return when the test says so. */
    private final class Gate implements LockStore {
        private final int parallelCalls;

        Gate(int parallelCalls) {
            this.parallelCalls = parallelCalls;
        }

        @Override
        public int parallelCalls() {
            return parallelCalls;
        }

        @Override
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            Call call = new Call(commands, Thread.currentThread(), new CountDownLatch(1));
            underWay.add(call);
            try {
                call.mayReturn().await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
            }
            return Collections.nCopies(commands.size(), new LockReply.Released(true));
        }

        @Override
        public void close() {}
    }

    @AfterEach
    void closeThreads() {
        threads.close();
    }

    @Test
    void command_onAnIdleLane_runsOnTheCallersThread() throws Exception {
        Caller caller = new Caller(1);
        Call call = next();

        assertThat(call.thread()).isSameAs(caller.thread);
        call.mayReturn().countDown();
        assertThat(caller.reply()).isInstanceOf(LockReply.Released.class);
    }

    @Test
    void commands_duringACall_runAsOneBatchOnALaneThread() throws Exception {
        Caller first = new Caller(1);
        Call call = next();
        List<Caller> others = List.of(new Caller(2), new Caller(3), new Caller(4));
        for (Caller other : others) {
            other.thread.join(); // its command is queued, and the thread is free again
        }
        call.mayReturn().countDown();
        Call batch = next();

        assertThat(batch.commands()).hasSize(3);
        assertThat(batch.thread().getName()).startsWith("holdfast-caller-");
        batch.mayReturn().countDown();
        assertThat(first.reply()).isInstanceOf(LockReply.Released.class);
        for (Caller other : others) {
            assertThat(other.reply()).isInstanceOf(LockReply.Released.class);
        }
    }

    @Test
    void callers_upToTheStoresLimit_runInParallel() throws Exception {
        calls = calls(2);
        Caller first = new Caller(1);
        Call one = next();
        Caller second = new Caller(2);
        Call other = next();
        Caller third = new Caller(3);
        third.thread.join(); // its command is queued

        assertThat(List.of(one.thread(), other.thread())).containsExactly(first.thread, second.thread);
        assertThat(underWay).as("further calls").isEmpty();
        other.mayReturn().countDown();
        one.mayReturn().countDown();
        next().mayReturn().countDown();
        assertThat(third.reply()).isInstanceOf(LockReply.Released.class);
    }

    @Test
    void interrupt_ofOneCaller_doesNotAffectOthers() throws Exception {
        Caller first = new Caller(1);
        Call call = next();
        Caller second = new Caller(2);
        second.thread.join();
        call.thread().interrupt();

        assertThat(first.reply()).isInstanceOf(LockReply.Unavailable.class);
        next().mayReturn().countDown();
        assertThat(second.reply()).isInstanceOf(LockReply.Released.class);
    }

    @Test
    void callback_thatThrows_doesNotKeepOthersFromTheirReplies() throws Exception {
        CompletableFuture<StoreResponse> reply = new CompletableFuture<>();
        StoreRequest failing = new StoreRequest(release(1), CALL, any -> {
            throw new StackOverflowError("on purpose");
        });
        calls.execute(Lane.BACKGROUND, List.of(failing, new StoreRequest(release(2), CALL, reply::complete)));
        String warning = "the callback of a response failed"; // another thread logs it
        String logged = Logged.during(
                () -> {
                    next().mayReturn().countDown();
                    assertThat(reply.get(HANG, TimeUnit.SECONDS).reply()).isInstanceOf(LockReply.Released.class);
                },
                warning);
        assertThat(logged).contains(warning);
    }

    @Test
    void renewal_whileACallerHangs_runsAtOnce() throws Exception {
        new Caller(1);
        Call hanging = next();
        CompletableFuture<StoreResponse> renewed = new CompletableFuture<>();
        calls.execute(Lane.RENEWAL, List.of(new StoreRequest(release(2), CALL, renewed::complete)));

        next().mayReturn().countDown();
        assertThat(renewed.get(HANG, TimeUnit.SECONDS).reply()).isInstanceOf(LockReply.Released.class);
        hanging.mayReturn().countDown();
    }

    @Test
    void cleanup_ofThousandsOfReleases_doesNotDelayOtherLanes() throws Exception {
        List<StoreRequest> orphans = new ArrayList<>();
        for (int number = 0; number < 20_000; number++) {
            orphans.add(new StoreRequest(release(number), CALL, reply -> {}));
        }
        calls.execute(Lane.CLEANUP, orphans);
        Call cleanup = next();

        assertThat(cleanup.commands()).as("a bounded batch of them").hasSizeLessThan(1_000);
        for (Lane lane : List.of(Lane.BACKGROUND, Lane.RENEWAL)) {
            CompletableFuture<StoreResponse> reply = new CompletableFuture<>();
            calls.execute(lane, List.of(new StoreRequest(release(1), CALL, reply::complete)));
            next().mayReturn().countDown();
            assertThat(reply.get(HANG, TimeUnit.SECONDS).reply()).isInstanceOf(LockReply.Released.class);
        }
        Caller caller = new Caller(2);
        next().mayReturn().countDown();
        assertThat(caller.reply()).isInstanceOf(LockReply.Released.class);
    }

    private Call next() throws InterruptedException {
        Call call = underWay.poll(HANG, TimeUnit.SECONDS);
        assertThat(call).as("a call to the store").isNotNull();
        return call;
    }

    private static LockCommand release(int number) {
        return new LockCommand.Release(
                new LockName("job-" + number), new AcquisitionId(0, number), Duration.ZERO, Duration.ZERO);
    }

    /** A thread that submits a command, and does not wait for the reply. */
    private final class Caller {
        private final CompletableFuture<StoreResponse> reply = new CompletableFuture<>();
        private final Thread thread;

        Caller(int number) {
            thread = new Thread(() ->
                    calls.execute(Lane.CALLER, List.of(new StoreRequest(release(number), CALL, reply::complete))));
            thread.setDaemon(true);
            thread.start();
        }

        LockReply reply() throws Exception {
            return reply.get(HANG, TimeUnit.SECONDS).reply();
        }
    }
}
