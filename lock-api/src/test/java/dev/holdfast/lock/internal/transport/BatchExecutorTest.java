package dev.holdfast.lock.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.internal.Logged;
import dev.holdfast.lock.internal.time.DaemonThreads;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.testing.Await;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** On which thread a command runs, and in which batch. */
@Timeout(2 * BatchExecutorTest.HANG)
@Isolated("captures the log of all threads")
class BatchExecutorTest {

    private static final Duration CALL = Duration.ofMinutes(1);
    /** The limit of a wait, in seconds. */
    static final int HANG = 180;

    /** One call of the store. */
    private record Call(List<LockCommand> commands, Thread thread, CountDownLatch mayReturn) {}

    private final BlockingQueue<Call> underWay = new LinkedBlockingQueue<>();
    private final DaemonThreads threads = new DaemonThreads();
    private BatchExecutor calls = calls(1);

    private BatchExecutor calls(int parallelCalls) {
        return new BatchExecutor(new Gate(() -> parallelCalls), Clock.SYSTEM, threads::pool);
    }

    /** A store whose calls return when the test says so. */
    private final class Gate implements LockStore {
        private final IntSupplier parallelCalls;

        Gate(IntSupplier parallelCalls) {
            this.parallelCalls = parallelCalls;
        }

        @Override
        public int parallelCalls() {
            return parallelCalls.getAsInt();
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
    void commands_duringACall_runAsOneBatchOnTheFirstCallersThread() throws Exception {
        Caller first = new Caller(1);
        Call call = next();
        Caller second = new Caller(2);
        second.awaitParked();
        List<Caller> others = List.of(second, new Caller(3), new Caller(4));
        for (Caller other : others) {
            other.awaitParked();
        }
        call.mayReturn().countDown();
        Call batch = next();

        assertThat(batch.commands()).hasSize(3);
        assertThat(batch.thread()).isSameAs(second.thread);
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
        third.awaitParked();

        assertThat(List.of(one.thread(), other.thread())).containsExactly(first.thread, second.thread);
        assertThat(underWay).as("further calls").isEmpty();
        other.mayReturn().countDown();
        one.mayReturn().countDown();
        next().mayReturn().countDown();
        assertThat(third.reply()).isInstanceOf(LockReply.Released.class);
    }

    @Test
    void callers_whenTheStoreWantsFewerCallsAndThenMore_areAdmittedByTheLatestNumber() throws Exception {
        AtomicInteger parallelCalls = new AtomicInteger(2);
        calls = new BatchExecutor(new Gate(parallelCalls::get), Clock.SYSTEM, threads::pool);
        List<Caller> callers = new ArrayList<>(List.of(new Caller(1)));
        Call one = next();
        callers.add(new Caller(2));
        Call other = next();

        parallelCalls.set(1);
        other.mayReturn().countDown();
        callers.get(1).thread.join();
        callers.add(new Caller(3));
        callers.get(2).awaitParked();
        assertThat(underWay).as("calls beside the one that the store wants").isEmpty();

        one.mayReturn().countDown();
        callers.get(0).thread.join();
        Call third = next();
        assertThat(third.thread()).isSameAs(callers.get(2).thread);
        parallelCalls.set(3);
        callers.add(new Caller(4));
        callers.add(new Caller(5));
        List<Call> more = List.of(third, next(), next());
        more.forEach(call -> call.mayReturn().countDown());
        for (Caller caller : callers) {
            assertThat(caller.reply()).isInstanceOf(LockReply.Released.class);
        }
    }

    @Test
    void interrupt_ofOneCaller_doesNotAffectOthers() throws Exception {
        Caller first = new Caller(1);
        Call call = next();
        Caller second = new Caller(2);
        second.awaitParked();
        call.thread().interrupt();

        assertThat(first.reply()).isInstanceOf(LockReply.Unavailable.class);
        next().mayReturn().countDown();
        assertThat(second.reply()).isInstanceOf(LockReply.Released.class);
    }

    @Test
    void interrupt_ofAWaitingCaller_freesItAndLeavesItsCommandToALaneThread() throws Exception {
        Caller first = new Caller(1);
        Call call = next();
        Caller second = new Caller(2);
        second.awaitParked();
        second.thread.interrupt();
        second.thread.join();
        call.mayReturn().countDown();
        Call batch = next();

        assertThat(batch.thread().getName()).startsWith("holdfast-caller-");
        batch.mayReturn().countDown();
        assertThat(first.reply()).isInstanceOf(LockReply.Released.class);
        assertThat(second.reply()).isInstanceOf(LockReply.Released.class);
    }

    @Test
    void command_thatNoBatchHasTakenInTime_isWithdrawnAndNeverSent() throws Exception {
        Duration longer = Duration.ofSeconds(4); // of the same lane
        Caller first = new Caller(1, longer);
        Call hanging = next();
        Caller second = new Caller(2, Duration.ofMillis(2_100));
        Caller third = new Caller(3, longer); // withdrawn as well if the machine stands still meanwhile

        assertThat(second.reply())
                .isInstanceOfSatisfying(
                        LockReply.Unavailable.class,
                        reply -> assertThat(reply.cause()).hasMessageContaining("was not sent within"));
        second.thread.join();
        assertThat(hanging.mayReturn().getCount()).as("the call still hangs").isEqualTo(1);
        Caller fourth = new Caller(4, longer);
        while (!fourth.isParked()) {
            fourth = new Caller(4, longer);
        }
        hanging.mayReturn().countDown();
        Call batch = next();
        assertThat(batch.commands())
                .extracting(command -> command.name().value())
                .isSubsetOf("job-3", "job-4")
                .contains("job-4");
        batch.mayReturn().countDown();
        assertThat(first.reply()).isInstanceOf(LockReply.Released.class);
        assertThat(third.reply()).isNotNull();
        assertThat(fourth.reply()).isInstanceOf(LockReply.Released.class);
        assertThat(underWay).isEmpty();
    }

    /** A virtual thread may lose its carrier at the end of a call, and would keep the place of that call meanwhile. */
    @Test
    void command_ofAVirtualThread_isSentByAThreadOfTheLane() throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "this JDK has no virtual threads");
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        CompletableFuture<StoreReply> reply = new CompletableFuture<>();
        StoreRequest request = new StoreRequest(release(1), CALL, reply::complete);
        start.invoke(null, (Runnable) () -> calls.execute(Lane.CALLER, List.of(request)));
        Call call = next();

        assertThat(call.thread().getName()).startsWith("holdfast-caller-");
        call.mayReturn().countDown();
        assertThat(reply.get(HANG, TimeUnit.SECONDS).reply()).isInstanceOf(LockReply.Released.class);
    }

    @Test
    void command_ofACallback_doesNotDelayTheOtherResponses() throws Exception {
        CompletableFuture<StoreReply> inner = new CompletableFuture<>();
        CompletableFuture<StoreReply> other = new CompletableFuture<>();
        StoreRequest again = new StoreRequest(release(2), CALL, inner::complete);
        StoreRequest outer = new StoreRequest(release(1), CALL, any -> calls.execute(Lane.CALLER, List.of(again)));
        calls.execute(Lane.BACKGROUND, List.of(outer, new StoreRequest(release(3), CALL, other::complete)));
        next().mayReturn().countDown();

        assertThat(other.get(HANG, TimeUnit.SECONDS).reply()).isInstanceOf(LockReply.Released.class);
        next().mayReturn().countDown();
        assertThat(inner.get(HANG, TimeUnit.SECONDS).reply()).isInstanceOf(LockReply.Released.class);
    }

    @Test
    void commands_ofOneCaller_runInOneCallOnItsThread() throws Exception {
        for (int callersBefore = 0; callersBefore < 2; callersBefore++) {
            List<Call> before = new ArrayList<>();
            for (int caller = 0; caller < callersBefore; caller++) {
                new Caller(caller);
                before.add(next());
            }
            Thread thread = new Thread(() -> calls.execute(
                    Lane.CALLER,
                    List.of(
                            new StoreRequest(release(7), CALL, any -> {}),
                            new StoreRequest(release(8), CALL, any -> {}))));
            thread.setDaemon(true);
            thread.start();
            if (callersBefore > 0) {
                Await.until("it waits for a batch", () -> thread.getState() == Thread.State.TIMED_WAITING);
            }
            before.forEach(call -> call.mayReturn().countDown());
            Call call = next();

            assertThat(call.thread()).isSameAs(thread);
            assertThat(call.commands()).containsExactly(release(7), release(8));
            call.mayReturn().countDown();
            thread.join();
        }
    }

    @Test
    void command_thatWasTakenBack_isNotSent() throws Exception {
        calls.execute(Lane.BACKGROUND, List.of(new StoreRequest(release(1), CALL, any -> {})));
        Call first = next();
        StoreRequest unsent = new StoreRequest(release(2), CALL, any -> {
            throw new AssertionError("a reply to a command that was taken back");
        });
        CompletableFuture<StoreReply> reply = new CompletableFuture<>();
        calls.execute(Lane.BACKGROUND, List.of(unsent));
        calls.execute(Lane.BACKGROUND, List.of(new StoreRequest(release(3), CALL, reply::complete)));
        assertThat(unsent.take()).isTrue();
        assertThat(unsent.take()).isFalse();
        first.mayReturn().countDown();
        Call second = next();

        assertThat(second.commands()).containsExactly(release(3));
        second.mayReturn().countDown();
        assertThat(reply.get(HANG, TimeUnit.SECONDS).reply()).isInstanceOf(LockReply.Released.class);
    }

    @Test
    void command_thatIsSent_cannotBeTakenBack() throws Exception {
        StoreRequest sent = new StoreRequest(release(1), CALL, any -> {});
        calls.execute(Lane.BACKGROUND, List.of(sent));
        Call call = next();

        assertThat(sent.take()).isFalse();
        call.mayReturn().countDown();
    }

    @Test
    void commands_ofManyCallers_areAllAnswered() throws Exception {
        for (int parallelCalls : List.of(1, 2, 8)) {
            BatchExecutor all = new BatchExecutor(new Immediate(parallelCalls), Clock.SYSTEM, threads::pool);
            LongAdder answers = new LongAdder();
            List<Thread> callers = new ArrayList<>();
            for (int caller = 0; caller < 16; caller++) {
                int number = caller;
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < 2_000; i++) {
                        CompletableFuture<StoreReply> reply = new CompletableFuture<>();
                        all.execute(Lane.CALLER, List.of(new StoreRequest(release(number), CALL, reply::complete)));
                        reply.orTimeout(HANG, TimeUnit.SECONDS).join();
                        answers.increment();
                    }
                });
                thread.setDaemon(true);
                thread.start();
                callers.add(thread);
            }
            for (Thread caller : callers) {
                caller.join(TimeUnit.SECONDS.toMillis(HANG));
            }
            assertThat(answers.sum()).isEqualTo(16 * 2_000);
        }
    }

    /** A store that answers at once. */
    private record Immediate(int parallelCalls) implements LockStore {
        @Override
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            LockSupport.parkNanos(1); // as a store takes time: more callers wait
            return Collections.nCopies(commands.size(), new LockReply.Released(true));
        }

        @Override
        public void close() {}
    }

    @Test
    void callback_thatThrows_doesNotKeepOthersFromTheirReplies() throws Exception {
        CompletableFuture<StoreReply> reply = new CompletableFuture<>();
        StoreRequest failing = new StoreRequest(release(1), CALL, any -> {
            throw new StackOverflowError("on purpose");
        });
        calls.execute(Lane.BACKGROUND, List.of(failing, new StoreRequest(release(2), CALL, reply::complete)));
        String warning = "handling a reply of the store failed"; // another thread logs it
        String logged = Logged.during(
                () -> {
                    next().mayReturn().countDown();
                    assertThat(reply.get(HANG, TimeUnit.SECONDS).reply()).isInstanceOf(LockReply.Released.class);
                },
                warning);
        assertThat(logged).contains(warning);
    }

    /** After a lack of memory the log may lack it as well. */
    @Test
    void command_whoseErrorCannotBeLogged_hasItsReplyNevertheless() throws Exception {
        Error unloggable = new Error("of the store, on purpose") {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new StackOverflowError("the logging of it fails as well, on purpose");
            }
        };
        calls = new BatchExecutor(new Broken(unloggable), Clock.SYSTEM, threads::pool);
        CompletableFuture<StoreReply> reply = new CompletableFuture<>();
        StoreRequest request = new StoreRequest(release(1), CALL, reply::complete);
        assertThatThrownBy(() -> calls.execute(Lane.CALLER, List.of(request))).isInstanceOf(StackOverflowError.class);
        assertThat(reply).isDone();
        assertThat(reply.join().reply())
                .isInstanceOfSatisfying(
                        LockReply.Unavailable.class,
                        unavailable -> assertThat(unavailable.cause()).isSameAs(unloggable));
    }

    private record Broken(Error error) implements LockStore {
        @Override
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            throw error;
        }

        @Override
        public void close() {}
    }

    @Test
    void renewal_whileACallerHangs_runsAtOnce() throws Exception {
        new Caller(1);
        Call hanging = next();
        CompletableFuture<StoreReply> renewed = new CompletableFuture<>();
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
            CompletableFuture<StoreReply> reply = new CompletableFuture<>();
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
        private final CompletableFuture<StoreReply> reply = new CompletableFuture<>();
        private final Thread thread;

        Caller(int number) {
            this(number, CALL);
        }

        Caller(int number, Duration timeout) {
            thread = new Thread(() ->
                    calls.execute(Lane.CALLER, List.of(new StoreRequest(release(number), timeout, reply::complete))));
            thread.setDaemon(true);
            thread.start();
        }

        /** Its command waits for the next batch. */
        void awaitParked() {
            assertThat(isParked()).as("parked, and not withdrawn").isTrue();
        }

        /** Waits until its command waits for the next batch. Returns false if it is withdrawn by then. */
        boolean isParked() {
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG);
            while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
                assertThat(System.nanoTime()).as("parked in time").isLessThan(limit);
                LockSupport.parkNanos(100_000);
            }
            return thread.isAlive();
        }

        LockReply reply() throws Exception {
            return reply.get(HANG, TimeUnit.SECONDS).reply();
        }
    }
}
