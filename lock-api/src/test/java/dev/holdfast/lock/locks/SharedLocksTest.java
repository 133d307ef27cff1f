package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.DistributedSemaphore;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.client.DefaultLocks;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.SimpleLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@link DistributedLock#shared()} and {@link Locks#semaphore}, on the memory store, within a process and across two. */
@Execution(ExecutionMode.CONCURRENT)
class SharedLocksTest {

    private static final String JOB = "job";

    private final SteppedTime time = new SteppedTime();
    private final WatchedStore store = new WatchedStore(time);
    private final Locks here = open(store);
    private final Locks there = open(store);
    private final DistributedLock writeHere = here.named(JOB);
    private final DistributedLock writeThere = there.named(JOB);
    private final DistributedLock readHere = writeHere.shared();
    private final DistributedLock readThere = writeThere.shared();

    private Locks open(LockStore of) {
        return DefaultLocks.open(LockConfiguration.of(of, new Properties()), time, time::threads);
    }

    @AfterEach
    void close() {
        time.close(here, there);
    }

    // Readers and writers

    @Test
    void readers_lastTogether_andExcludeWriters() throws Exception {
        Lease one = readHere.acquire();
        Lease two = readHere.acquire();
        Lease three = readThere.acquire();

        assertThat(writeHere.tryAcquire()).isEmpty();
        assertThat(writeThere.tryAcquire()).isEmpty();
        one.release();
        three.release();
        assertThat(writeThere.tryAcquire()).isEmpty();
        assertThat(two.isHeld()).isTrue();
        two.release();

        Lease written = writeThere.tryAcquire().orElseThrow();
        assertThat(readHere.tryAcquire()).isEmpty();
        assertThat(written.fencingToken()).isGreaterThan(three.fencingToken());
        assertThat(three.fencingToken()).isGreaterThan(two.fencingToken());
    }

    @Test
    void readers_ofOneProcess_haveAGrantEach() throws Exception {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            leases.add(readHere.acquire());
        }
        assertThat(store.acquires(JOB).map(sent -> sent.command().id()).distinct())
                .hasSize(3);
        assertThat(store.acquires(JOB).map(sent -> sent.command().share())).containsOnly(Share.shared());

        for (Lease lease : leases) {
            lease.release();
        }
        assertThat(store.releases(JOB)).isEqualTo(3);
    }

    @Test
    void lossOfOneReader_leavesTheOthers() throws Exception {
        List<LeaseState> reported = new ArrayList<>();
        Lease one = readHere.acquire();
        Lease lost = readHere.acquire();
        one.onLost(loss -> reported.add(one.state()));
        store.end(JOB);
        time.passUntil("the loss is known", () -> !lost.isHeld());

        assertThat(lost.state()).isEqualTo(LeaseState.LOST);
        for (int renewals = 0; renewals < 20; renewals++) {
            time.pass(Duration.ofSeconds(5));
            time.settle();
        }
        assertThat(one.isHeld()).isTrue();
        assertThat(reported).isEmpty();
    }

    @Test
    void waitingWriter_stopsNewReaders_andIsServedInTurn() throws Exception {
        Lease reading = readHere.acquire();
        CompletableFuture<Lease> writer = writeThere.acquireAsync();
        time.settle();
        CompletableFuture<Lease> one = readHere.acquireAsync();
        CompletableFuture<Lease> two = readHere.acquireAsync();
        time.settle();
        assertThat(readThere.tryAcquire()).isEmpty();
        assertThat(List.of(writer, one, two)).noneMatch(CompletableFuture::isDone);

        reading.release();
        time.passUntil("the writer has it", writer::isDone);
        assertThat(one).isNotDone();
        writer.join().release();
        time.passUntil("both readers have it", () -> one.isDone() && two.isDone());

        assertThat(one.join().isHeld()).isTrue();
        assertThat(two.join().isHeld()).isTrue();
    }

    @Test
    void waitingReader_thatGivesUp_isNeverGranted() throws Exception {
        Lease writing = writeThere.acquire();
        CompletableFuture<Lease> reader = readHere.acquireAsync();
        time.settle();
        reader.cancel(false);
        time.settle();
        writing.release();
        time.settle();

        assertThat(writeThere.tryAcquire()).isPresent();
    }

    @Test
    void close_releasesAllShares() throws Exception {
        Lease one = readHere.acquire();
        Lease two = here.semaphore("pool", 4).permits(4).acquire();

        time.close(here);

        assertThat(one.isHeld()).isFalse();
        assertThat(two.isHeld()).isFalse();
        assertThat(writeThere.tryAcquire()).isPresent();
        assertThat(there.semaphore("pool", 4).permits(4).tryAcquire()).isPresent();
    }

    @Test
    void options_ofASharedView_areKept() throws Exception {
        Lease fixed = readHere.withFixedLease(Duration.ofSeconds(10))
                .withMinimumHold(Duration.ofSeconds(5))
                .acquire();
        fixed.release();
        assertThat(readThere.tryAcquire()).isPresent().get().satisfies(Lease::release);
        assertThat(writeThere.tryAcquire()).as("kept by the minimum hold").isEmpty();
        time.pass(Duration.ofSeconds(5));

        assertThat(writeThere.tryAcquire()).isPresent();
    }

    @Test
    void writer_behindADeadReaderBesideLivingOnes_hasTheLockWhenTheDeadLeaseEnds() throws Exception {
        Duration lease = Duration.ofSeconds(20);
        long start = time.now().nanos();
        Lease dead = readThere.withFixedLease(lease).acquire();
        Lease living = readHere.acquire();
        CompletableFuture<Lease> writer = writeHere.acquireAsync(Duration.ofMinutes(1));
        time.settle();
        time.passUntil("the living reader has renewed its lease", () -> store.renewals(JOB) > 0);
        assertThat(living.release()).isTrue();
        time.passUntil("the writer has the lock", writer::isDone);

        assertThat(writer.join().isHeld()).isTrue();
        assertThat(dead.isHeld()).isFalse();
        assertThat(Duration.ofNanos(time.now().nanos() - start))
                .as("in stepped time")
                .isBetween(lease, lease.plusSeconds(1));
    }

    // Semaphores

    @Test
    void permits_areGrantedUpToTheLimit() throws Exception {
        DistributedSemaphore semaphore = here.semaphore("gpu", 4);
        assertThat(semaphore.limit()).isEqualTo(4);
        assertThat(semaphore.name()).isEqualTo("gpu");
        Lease three = semaphore.acquire(3);
        assertThat(there.semaphore("gpu", 4).permits(2).tryAcquire()).isEmpty();
        Lease one = there.semaphore("gpu", 4).acquire(1);
        assertThat(semaphore.permits(1).tryAcquire()).isEmpty();
        assertThat(here.named("gpu").tryAcquire()).isEmpty();

        three.release();
        assertThat(semaphore.permits(3).tryAcquire()).isPresent();
        assertThat(one.isHeld()).isTrue();
    }

    @Test
    void permits_ofProcessesWithDifferentLimits_areBoundByTheLowest() throws Exception {
        DistributedSemaphore old = here.semaphore("gpu", 2);
        DistributedSemaphore young = there.semaphore("gpu", 4);
        Lease one = old.acquire(1);
        Lease two = young.acquire(1);

        assertThat(young.permits(1).tryAcquire()).isEmpty();
        one.release();
        assertThat(young.permits(3).tryAcquire()).isPresent();
        assertThat(two.isHeld()).isTrue();
    }

    @Test
    void waiters_forPermitsOfOneProcess_eachHaveAPlace() throws Exception {
        DistributedSemaphore semaphore = here.semaphore("gpu", 2);
        Lease all = there.semaphore("gpu", 2).acquire(2);
        List<CompletableFuture<Lease>> waiting = IntStream.range(0, 4)
                .mapToObj(any -> {
                    CompletableFuture<Lease> waiter = semaphore.permits(1).acquireAsync();
                    time.settle();
                    return waiter;
                })
                .toList();
        all.release();
        time.passUntil(
                "the first two have one each",
                () -> waiting.get(0).isDone() && waiting.get(1).isDone());
        assertThat(waiting.subList(2, 4)).noneMatch(CompletableFuture::isDone);

        waiting.get(1).join().release();
        time.passUntil("the third has one", () -> waiting.get(2).isDone());
        assertThat(waiting.get(3)).isNotDone();
    }

    @Test
    void permits_ofADeadProcess_areFreeAfterItsLease() throws Exception {
        Lease dead = there.semaphore("gpu", 2)
                .permits(1)
                .withFixedLease(Duration.ofSeconds(3))
                .acquire();
        Lease living = here.semaphore("gpu", 2).acquire(1);
        CompletableFuture<Lease> next = here.semaphore("gpu", 2).permits(1).acquireAsync();
        time.settle();
        assertThat(next).isNotDone();
        time.passUntil("its permit is free", next::isDone);

        assertThat(dead.isHeld()).isFalse();
        assertThat(living.isHeld()).isTrue();
    }

    @Test
    void numberOfPermits_thatIsNotAllowed_isRefused() {
        assertThatThrownBy(() -> here.semaphore("gpu", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a semaphore has at least 1 permit, not 0");
        assertThatThrownBy(() -> here.semaphore("gpu", 4).permits(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1 permit");
        assertThatThrownBy(() -> here.semaphore("gpu", 4).acquire(5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("5 permits are more than the limit of 4");
    }

    @Test
    void permits_asALockOwnedByAThread_areRefused() {
        DistributedLock permits = here.semaphore("gpu", 4).permits(2);

        assertThatThrownBy(permits::asLock)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("'gpu'", "asLock()");
        assertThatThrownBy(permits::shared).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(permits::asReadWriteLock).isInstanceOf(UnsupportedOperationException.class);
    }

    // A store without shares

    @Test
    void sharedLock_onAStoreWithoutShares_isRefusedWhenCreated() {
        Locks plain = open(new PlainStore(new MemorySpace(time).open()));

        assertThatThrownBy(() -> plain.named(JOB).shared())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("'job' cannot be shared or counted", "exclusive locks only");
        assertThatThrownBy(() -> plain.named(JOB).asReadWriteLock()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> plain.semaphore("gpu", 4))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("'gpu' cannot be shared or counted");
        assertThat(plain.named(JOB).tryAcquire()).isPresent();
        time.close(plain);
    }

    /** Of an author who knows no shares. */
    private static final class PlainStore extends SimpleLockStore {
        private final LockStore store;

        PlainStore(LockStore store) {
            this.store = store;
        }

        private LockReply execute(LockCommand command, Duration timeout) {
            return store.execute(List.of(command), timeout).get(0);
        }

        @Override
        protected LockReply acquire(LockCommand.Acquire command, Duration timeout) {
            return execute(command, timeout);
        }

        @Override
        protected LockReply renew(LockCommand.Renew command, Duration timeout) {
            return execute(command, timeout);
        }

        @Override
        protected LockReply release(LockCommand.Release command, Duration timeout) {
            return execute(command, timeout);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
