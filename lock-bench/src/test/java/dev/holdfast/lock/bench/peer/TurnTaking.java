package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.History;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that acquire one lock in turns and record when they hold it. */
final class TurnTaking {

    private final String name;
    private final int rounds;
    private final History history = new History();
    /** The history needs them; the candidates have no tokens. */
    private final AtomicLong tokens = new AtomicLong();

    TurnTaking(String name, int rounds) {
        this.name = name;
        this.rounds = rounds;
    }

    /** Runs one thread for each of these peers, and returns the history. */
    History by(List<Peer> peers) throws Exception {
        CyclicBarrier start = new CyclicBarrier(peers.size());
        ExecutorService threads = Executors.newFixedThreadPool(peers.size());
        try {
            List<Future<?>> taking = new ArrayList<>();
            for (Peer peer : peers) {
                Claims claims = history.claimsOf("thread-" + taking.size());
                taking.add(threads.submit(() -> {
                    start.await();
                    take(peer, claims);
                    return null;
                }));
            }
            for (Future<?> each : taking) {
                Await.result(each);
            }
        } finally {
            threads.shutdownNow();
        }
        return history;
    }

    private void take(Peer peer, Claims claims) throws Exception {
        for (int round = 0; round < rounds; round++) {
            AutoCloseable held = peer.acquire(name);
            claims.hold(name, tokens.incrementAndGet(), 0, () -> true);
            held.close();
        }
    }
}
