package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** One thread takes a lock that nobody else wants and gives it back, so many times. */
record Pairs(int pairs, String name) implements Order {

    @Override
    public Answer perform(Stage stage) throws Exception {
        Peer peer = stage.peer();
        long[] nanos = new long[pairs];
        long start = System.nanoTime();
        long last = start;
        for (int i = 0; i < pairs; i++) {
            peer.acquire(name).release();
            long now = System.nanoTime();
            nanos[i] = now - last;
            last = now;
        }
        List<Long> samples = new ArrayList<>(LongStream.of(nanos).boxed().toList());
        return new Answer.Samples(samples, last - start);
    }
}
