package dev.holdfast.lock.bench.jmh;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** Acquire and release by one thread or by several, and an acquire that is refused. */
@State(Scope.Benchmark)
public class LockBenchmark {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Locks locks = Locks.open(new ConstantStore(new LockReply.Granted(1, LEASE)), new Properties());
    private final Locks busyLocks = Locks.open(new ConstantStore(new LockReply.Busy(LEASE)), new Properties());
    private final DistributedLock lock = locks.named("pair");
    private final DistributedLock heldHere = locks.named("held");
    private final DistributedLock heldElsewhere = busyLocks.named("held");
    private final Lease lease = heldHere.tryAcquire().orElseThrow();

    @Setup
    public void acquireOnce() throws InterruptedException {
        lock.acquire().close();
    }

    @TearDown
    public void close() {
        lease.close();
        locks.close();
        busyLocks.close();
    }

    @Benchmark
    public boolean uncontended() throws InterruptedException {
        return lock.acquire().release();
    }

    @Benchmark
    public boolean uncontendedByName() throws InterruptedException {
        return locks.named("pair").acquire().release();
    }

    @Benchmark
    public boolean uncontendedAsync() {
        return lock.acquireAsync().join().release();
    }

    @Benchmark
    @Threads(2)
    public boolean handOffBetween2() throws InterruptedException {
        return lock.acquire().release();
    }

    @Benchmark
    @Threads(8)
    public boolean handOffBetween8() throws InterruptedException {
        return lock.acquire().release();
    }

    @Benchmark
    public Optional<Lease> heldByThisProcess() {
        return heldHere.tryAcquire();
    }

    @Benchmark
    public Optional<Lease> heldByAnotherProcess() {
        return heldElsewhere.tryAcquire();
    }

    /** A store that replies at once, with the same reply to every acquire. */
    record ConstantStore(LockReply toAcquire) implements LockStore {

        private static final LockReply RELEASED = new LockReply.Released(true);

        @Override
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            if (commands.size() == 1) {
                return List.of(answer(commands.get(0)));
            }
            List<LockReply> replies = new ArrayList<>(commands.size());
            for (LockCommand command : commands) {
                replies.add(answer(command));
            }
            return replies;
        }

        private LockReply answer(LockCommand command) {
            return command instanceof LockCommand.Release ? RELEASED : toAcquire;
        }

        @Override
        public void close() {}
    }
}
