package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Peer;

/**
 * Take locks and give them back, so that code is compiled and connections are open.
 *
 * @param threads each has a lock of its own
 * @param pairs of each thread
 */
record WarmUp(int threads, int pairs, String name) implements Order {

    @Override
    public Answer perform(Stage stage) throws Exception {
        Peer peer = stage.peer();
        Crew crew = new Crew(threads, index -> {
            for (int i = 0; i < pairs; i++) {
                peer.acquire(name + "-" + index).release();
            }
        });
        crew.go();
        crew.join();
        return new Answer.Done();
    }
}
