package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Peer;
import java.util.List;

/** So many threads, let go at once when the gate is opened, take one lock and give it back, once each. */
record Crowd(int threads, String name) implements Order {

    @Override
    public Answer perform(Stage stage) throws Exception {
        Peer peer = stage.peer();
        Visit[] visits = new Visit[threads];
        Crew crew = new Crew(threads, index -> visits[index] = visit(peer, name));
        stage.awaitGo();
        long gate = crew.go();
        crew.join();
        return new Answer.Visits(gate, List.of(visits));
    }

    static Visit visit(Peer peer, String name) throws Exception {
        long began = System.nanoTime();
        Peer.Held held = peer.acquire(name);
        long granted = System.nanoTime();
        held.release();
        return new Visit(began, granted, System.nanoTime());
    }
}
