package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Methods that share a lock: readers, and a number of permits. */
class LockedSharesTest {

    private AnnotationConfigApplicationContext context;
    private Locks locks;
    private Service service;

    @BeforeEach
    void open() {
        context = Contexts.of(Service.class);
        locks = context.getBean(Locks.class);
        service = context.getBean(Service.class);
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void sharedMethod_besideAReader_runs_butNotBesideAWriter() throws Exception {
        try (Lease reading = locks.named("x").shared().acquire()) {
            assertThat(service.read(() -> "read")).contains("read");
            assertThatThrownBy(() -> service.write(() -> "written")).isInstanceOf(LockTimeoutException.class);
            reading.ensureHeld();
        }
        try (Lease writing = locks.named("x").acquire()) {
            assertThat(service.read(() -> "read")).as("skipped").isEmpty();
            writing.ensureHeld();
        }
    }

    @Test
    void countedMethod_ofManyThreads_runsUpToTheLimitAtOnce() throws Exception {
        History history = new History();
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<?>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Claims claims = history.claimsOf("thread " + i);
            calls.add(threads.submit(() -> {
                for (int round = 0; round < 5; round++) {
                    claims.ask();
                    service.count(claims);
                }
            }));
        }
        for (Future<?> call : calls) {
            Await.result(call);
        }
        threads.shutdown();

        history.verify(30);
    }

    @Test
    void permits_ofOneCall_areTakenTogetherAndKeptForTheMinimumHold() throws Exception {
        try (Lease one = locks.semaphore("kept", 4).acquire(1)) {
            assertThat(service.keepTwoOfFour(() -> "ran")).contains("ran");

            assertThat(service.keepTwoOfFour(() -> "ran"))
                    .as("three of four are out")
                    .isEmpty();
            assertThat(locks.semaphore("kept", 4).permits(1).tryAcquire()).isPresent();
            one.ensureHeld();
        }
    }

    @Test
    void nestedMethod_thatNeedsNoMoreThanIsHeld_joins() {
        List<Long> tokens = List.of(
                service.write(() -> service.read(CurrentLease::token).orElseThrow()),
                service.write(() -> service.two(CurrentLease::token)),
                service.two(() -> service.read(CurrentLease::token).orElseThrow()));

        assertThat(tokens).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void nestedMethod_thatWouldWaitForItself_isRefused() {
        assertThatThrownBy(() -> service.read(() -> service.write(() -> "written")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Service.write(")
                .hasMessageContaining("its caller holds [x] (1 of any number)")
                .hasMessageContaining("it would wait for itself for 1 of 1");
        assertThatThrownBy(() -> service.read(() -> service.two(() -> "ran")))
                .isInstanceOf(IllegalStateException.class);
        assertThat(context.getBean(Probe.class).isFree("x")).isTrue();
    }

    @Test
    void sharedMethod_onAStoreWithoutShares_failsTheStart() {
        LockStore exclusive = new LockStore() {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                throw new IllegalStateException("no command is expected");
            }

            @Override
            public void close() {}
        };

        Throwable thrown = catchThrowable(() -> Contexts.of(Locks.open(exclusive, new Properties()), OneReader.class)
                .close());

        assertThat(thrown)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageStartingWith("@Locked on " + OneReader.class.getName() + ".run(): ")
                .hasMessageContaining("keeps exclusive locks only");
    }

    /** A body. */
    interface Body<T> {
        T run();
    }

    static class Service {

        @Locked(value = "x", shared = true, onBusy = OnBusy.SKIP)
        <T> Optional<T> read(Body<T> body) {
            return Optional.of(body.run());
        }

        @Locked(value = "x", acquireTimeout = "0s")
        <T> T write(Body<T> body) {
            return body.run();
        }

        @Locked(value = "x", permits = 2, of = 4)
        <T> T two(Body<T> body) {
            return body.run();
        }

        @Locked(value = "gpu", of = 2, lease = "10m")
        void count(Claims claims) {
            claims.hold(CurrentLease.get(), new Share(1, 2), 0);
        }

        @Locked(value = "kept", permits = 2, of = 4, minimumHold = "10m", onBusy = OnBusy.SKIP)
        <T> Optional<T> keepTwoOfFour(Body<T> body) {
            return Optional.of(body.run());
        }
    }

    static class OneReader {
        @Locked(value = "x", shared = true)
        void run() {}
    }
}
