package dev.holdfast.lock.bench.inprocess;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import java.util.Properties;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** A lock is acquired and released, by one thread or by some that want the same one. */
@State(Scope.Benchmark)
public class Pair {

    private final Locks locks = Locks.open(StoreAtOnce.granting(), new Properties());
    private final DistributedLock lock = locks.named("pair");

    @Setup
    public void acquireOnce() throws InterruptedException {
        lock.acquire().close();
    }

    @TearDown
    public void close() {
        locks.close();
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
}
