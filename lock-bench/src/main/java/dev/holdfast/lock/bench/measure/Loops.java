package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Peer;
import java.util.concurrent.atomic.LongAdder;

/** So many threads take locks and give them back, each its own, until the time is over. */
record Loops(int threads, long millis, String name) implements Order {

    @Override
    public Answer perform(Stage stage) throws Exception {
        Peer peer = stage.peer();
        long time = millis * 1_000_000;
        LongAdder pairs = new LongAdder();
        Crew crew = new Crew(threads, index -> {
            String own = name + "-" + index;
            long done = 0;
            long start = System.nanoTime();
            while (System.nanoTime() - start < time) {
                peer.acquire(own).release();
                done++;
            }
            pairs.add(done);
        });
        long start = crew.go();
        crew.join();
        return new Answer.Count(pairs.sum(), System.nanoTime() - start);
    }
}
