package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Peer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * So many threads come one after another, while somebody holds the lock. It is given back when all are there, and each takes it
 * once: in the order in which they came, or not.
 *
 * @param gapMillis between two of them
 */
record Arrivals(int threads, long gapMillis, String name) implements Order {

    @Override
    public Answer perform(Stage stage) throws Exception {
        Peer peer = stage.peer();
        long gap = TimeUnit.MILLISECONDS.toNanos(gapMillis);
        Visit[] visits = new Visit[threads];
        stage.hold(name);
        long[] gate = new long[1];
        Crew crew = new Crew(threads, index -> {
            awaitInstant(gate[0] + (index + 1) * gap);
            visits[index] = Crowd.visit(peer, name);
        });
        gate[0] = System.nanoTime();
        crew.go();
        awaitInstant(gate[0] + (threads + 2) * gap);
        stage.give();
        crew.join();
        return new Answer.Visits(gate[0], List.of(visits));
    }

    private static void awaitInstant(long instant) {
        for (long left = instant - System.nanoTime(); left > 0; left = instant - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
