package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.peer.Peer.Held;
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

/** Threads that take one lock from each other, and record when they held it. */
final class Taking {

    private final String name;
    private final int rounds;
    private final History history = new History();
    /** For the judge of the history: what is measured has no tokens. */
    private final AtomicLong tokens = new AtomicLong();

    Taking(String name, int rounds) {
        this.name = name;
        this.rounds = rounds;
    }

    /** Takes it in turns, by one thread for each of these peers: the history of that. */
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
            Held held = peer.acquire(name);
            claims.hold(name, tokens.incrementAndGet(), 0, () -> true);
            held.release();
        }
    }
}
