package dev.holdfast.lock.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** One call to the store at a time; steps that come meanwhile gather, and travel together in the next. */
final class BatchLane {

    /** As many as one call carries: enough to make the round trip count for little, few enough to stay within a timeout. */
    private static final int MOST = 256;

    private final Consumer<List<Request>> carry;
    private final BiConsumer<List<Request>, Throwable> refuse;
    private final Executor thread;
    private final Queue<Request> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean running = new AtomicBoolean();

    /**
     * An empty lane.
     *
     * @param carry has a batch carried out; blocks
     * @param refuse answers a batch for which there was no thread, and why not
     * @param thread runs it; one thread will do
     */
    BatchLane(Consumer<List<Request>> carry, BiConsumer<List<Request>, Throwable> refuse, Executor thread) {
        this.carry = carry;
        this.refuse = refuse;
        this.thread = thread;
    }

    void add(List<Request> requests) {
        waiting.addAll(requests);
        runUnlessRunning();
    }

    /** Carries the steps out on this very thread, if nothing else is going on; returns whether it did. */
    boolean carryIfIdle(List<Request> requests) {
        if (running.get() || !waiting.isEmpty() || !running.compareAndSet(false, true)) {
            return false;
        }
        try {
            carry.accept(requests);
        } finally {
            running.set(false);
            runUnlessRunning(); // what came meanwhile
        }
        return true;
    }

    private void runUnlessRunning() {
        if (!waiting.isEmpty() && running.compareAndSet(false, true)) {
            try {
                thread.execute(this::run);
            } catch (Throwable e) { // such as "unable to create native thread": it may well work the next time
                running.set(false);
                for (List<Request> batch = next(); !batch.isEmpty(); batch = next()) {
                    refuse.accept(batch, e);
                }
            }
        }
    }

    private void run() {
        try {
            for (List<Request> batch = next(); !batch.isEmpty(); batch = next()) {
                carry.accept(batch);
            }
        } finally {
            running.set(false);
            runUnlessRunning(); // a step may have come between the last look and the line above
        }
    }

    private List<Request> next() {
        List<Request> batch = new ArrayList<>();
        for (Request step = waiting.poll(); step != null; step = batch.size() < MOST ? waiting.poll() : null) {
            batch.add(step);
        }
        return batch;
    }
}
