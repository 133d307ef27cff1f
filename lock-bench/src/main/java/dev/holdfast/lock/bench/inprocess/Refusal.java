package dev.holdfast.lock.bench.inprocess;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.util.Optional;
import java.util.Properties;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A lock is asked for that somebody else holds. */
@State(Scope.Benchmark)
public class Refusal {

    private final Locks locks = Locks.open(StoreAtOnce.granting(), new Properties());
    private final Locks others = Locks.open(StoreAtOnce.busy(), new Properties());
    private final DistributedLock heldHere = locks.named("held");
    private final DistributedLock heldElsewhere = others.named("held");
    private final Lease lease = heldHere.tryAcquire().orElseThrow();

    @TearDown
    public void close() {
        lease.close();
        locks.close();
        others.close();
    }

    @Benchmark
    public Optional<Lease> heldByThisProcess() {
        return heldHere.tryAcquire();
    }

    @Benchmark
    public Optional<Lease> heldByAnotherProcess() {
        return heldElsewhere.tryAcquire();
    }
}
