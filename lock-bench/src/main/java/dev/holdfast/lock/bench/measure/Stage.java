package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Peer;
import dev.holdfast.lock.bench.peer.Peer.Held;
import dev.holdfast.lock.bench.peer.Place;
import org.jspecify.annotations.Nullable;

/** What the orders of one runner find and leave to those that follow. Of one thread. */
final class Stage {

    private final Candidate candidate;
    private final Gate gate;
    private @Nullable Peer peer;
    private @Nullable Held held;

    Stage(Candidate candidate, Gate gate) {
        this.candidate = candidate;
        this.gate = gate;
    }

    /** Is told that everybody is ready, and returns when they shall begin. */
    @FunctionalInterface
    interface Gate {
        void awaitGo() throws Exception;
    }

    void open(Place place) throws Exception {
        peer = candidate.open(place);
    }

    Peer peer() {
        if (peer == null) {
            throw new IllegalStateException(candidate.id() + " is not open");
        }
        return peer;
    }

    void shut() {
        peer().close();
        peer = null;
    }

    /** Says that everybody stands at the gate, and waits until it may be opened. */
    void awaitGo() throws Exception {
        gate.awaitGo();
    }

    void hold(String name) throws Exception {
        held = peer().acquire(name);
    }

    void give() throws Exception {
        if (held == null) {
            throw new IllegalStateException(candidate.id() + " does not hold the lock");
        }
        held.release();
        held = null;
    }
}
