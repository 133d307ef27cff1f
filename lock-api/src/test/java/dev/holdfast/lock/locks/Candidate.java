package dev.holdfast.lock.locks;

import dev.holdfast.lock.LeaderCandidate;
import dev.holdfast.lock.Lease;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Records its leaderships. What it does besides is up to the test. */
class Candidate implements LeaderCandidate {

    final List<String> calls = new CopyOnWriteArrayList<>();
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean overlapped;
    private volatile @Nullable Lease lease;

    @Override
    public final void elected(Lease granted) throws Exception {
        lease = granted; // before the call is seen
        enter("elected");
        try {
            lead(granted);
        } finally {
            inside.decrementAndGet();
        }
    }

    /** Runs in {@code elected}. */
    void lead(Lease granted) throws Exception {}

    @Override
    public final void revoked(Lease ended) throws Exception {
        enter("revoked " + ended.state());
        try {
            stop(ended);
        } finally {
            inside.decrementAndGet();
        }
    }

    /** Runs in {@code revoked}. */
    void stop(Lease ended) throws Exception {}

    private void enter(String call) {
        overlapped |= inside.incrementAndGet() > 1;
        calls.add(call);
    }

    /** The calls so far, and whether two overlapped. */
    List<String> calls() {
        return overlapped ? List.of("overlapping calls") : List.copyOf(calls);
    }

    Lease lease() {
        Lease granted = lease;
        if (granted == null) {
            throw new AssertionError("never elected");
        }
        return granted;
    }
}
