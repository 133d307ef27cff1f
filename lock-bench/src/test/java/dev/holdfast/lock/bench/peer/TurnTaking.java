package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.spi.Share;
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

/** Threads that acquire one lock, or shares of it, in turns and record when they hold it. */
final class TurnTaking {

    private final String name;
    private final int rounds;
    private final List<Share> shares;
    private final History history = new History();
    /** The history needs them; the candidates have no tokens. */
    private final AtomicLong tokens = new AtomicLong();

    /** Of exclusive locks. */
    TurnTaking(String name, int rounds) {
        this(name, rounds, List.of(Share.EXCLUSIVE));
    }

    /** @param shares of the threads in turn */
    TurnTaking(String name, int rounds, List<Share> shares) {
        this.name = name;
        this.rounds = rounds;
        this.shares = shares;
    }

    /** Runs one thread for each of these peers, and returns the history. */
    History by(List<Peer> peers) throws Exception {
        CyclicBarrier start = new CyclicBarrier(peers.size());
        ExecutorService threads = Executors.newFixedThreadPool(peers.size());
        try {
            List<Future<?>> taking = new ArrayList<>();
            for (Peer peer : peers) {
                int thread = taking.size();
                Claims claims = history.claimsOf("thread-" + thread);
                taking.add(threads.submit(() -> {
                    start.await();
                    take(peer, thread, claims);
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

    private void take(Peer peer, int thread, Claims claims) throws Exception {
        for (int round = 0; round < rounds; round++) {
            Share share = shares.get((thread + round) % shares.size());
            claims.ask();
            AutoCloseable held = peer.acquire(name, share);
            claims.hold(name, share, tokens.incrementAndGet(), 0, () -> true);
            held.close();
        }
    }
}
