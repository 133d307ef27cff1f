package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.peer.Peer.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** Threads that count together under one lock, by reading and then writing: what two do at once is lost. */
final class Counting {

    /** From the reading to the writing, so that two who do it at once do meet. */
    private static final long GAP_NANOS = 50_000;

    private final String name;
    private final int rounds;
    private volatile int counted;
    private volatile int expected;

    Counting(String name, int rounds) {
        this.name = name;
        this.rounds = rounds;
    }

    /** Counts by one thread for each of these peers. */
    void by(List<Peer> peers) throws Exception {
        CyclicBarrier start = new CyclicBarrier(peers.size());
        ExecutorService threads = Executors.newFixedThreadPool(peers.size());
        try {
            List<Future<?>> counting = new ArrayList<>();
            for (Peer peer : peers) {
                counting.add(threads.submit(() -> {
                    start.await();
                    count(peer);
                    return null;
                }));
            }
            for (Future<?> each : counting) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        expected = peers.size() * rounds;
    }

    private void count(Peer peer) throws Exception {
        for (int i = 0; i < rounds; i++) {
            Held held = peer.acquire(name);
            int read = counted;
            LockSupport.parkNanos(GAP_NANOS);
            counted = read + 1;
            held.release();
        }
    }

    int counted() {
        return counted;
    }

    int expected() {
        return expected;
    }
}
