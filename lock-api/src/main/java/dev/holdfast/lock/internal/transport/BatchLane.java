package dev.holdfast.lock.internal.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call to the store at a time, or some side by side; steps that come meanwhile gather, and travel together in the next,
 * whichever is over first.
 */
final class BatchLane {

    /** As many as one call carries: enough to make the round trip count for little, few enough to stay within a timeout. */
    private static final int MOST = 256;

    private final Consumer<List<StoreRequest>> carry;
    private final BiConsumer<List<StoreRequest>, Throwable> refuse;
    private final Executor threads;
    private final Semaphore more;
    private final Queue<StoreRequest> waiting = new ConcurrentLinkedQueue<>();
    /** A call of its own is always allowed, and so nobody waits for ever. */
    private final Semaphore first = new Semaphore(1);

    /**
     * An empty lane.
     *
     * @param carry has a batch carried out; blocks
     * @param refuse answers a batch for which there was no thread, and why not
     * @param threads runs it; as many as there are calls at a time
     * @param more calls there may be at a time than one; shared with other lanes
     */
    BatchLane(
            Consumer<List<StoreRequest>> carry,
            BiConsumer<List<StoreRequest>, Throwable> refuse,
            Executor threads,
            Semaphore more) {
        this.carry = carry;
        this.refuse = refuse;
        this.threads = threads;
        this.more = more;
    }

    void add(List<StoreRequest> requests) {
        waiting.addAll(requests);
        runIfAllowed();
    }

    /** Carries the steps out on this very thread, if nobody waits and one more call is allowed. */
    void carryOrAdd(List<StoreRequest> requests) {
        Semaphore allowance = waiting.isEmpty() ? allowance() : null;
        if (allowance == null) {
            add(requests);
            return;
        }
        try {
            carry.accept(requests);
        } finally {
            allowance.release();
            runIfAllowed(); // what came meanwhile
        }
    }

    /** To be given back after a call; null if none is allowed now. */
    private @Nullable Semaphore allowance() {
        if (first.tryAcquire()) {
            return first;
        }
        return more.tryAcquire() ? more : null;
    }

    private void runIfAllowed() {
        Semaphore allowance = waiting.isEmpty() ? null : allowance();
        if (allowance != null) {
            try {
                threads.execute(() -> run(allowance));
            } catch (Throwable e) { // such as "unable to create native thread": it may well work the next time
                allowance.release();
                for (List<StoreRequest> batch = next(); !batch.isEmpty(); batch = next()) {
                    refuse.accept(batch, e);
                }
            }
        }
    }

    private void run(Semaphore allowance) {
        try {
            for (List<StoreRequest> batch = next(); !batch.isEmpty(); batch = next()) {
                carry.accept(batch);
            }
        } finally {
            allowance.release();
            runIfAllowed(); // a step may have come between the last look and the line above
        }
    }

    private List<StoreRequest> next() {
        List<StoreRequest> batch = new ArrayList<>();
        for (StoreRequest step = waiting.poll(); step != null; step = batch.size() < MOST ? waiting.poll() : null) {
            batch.add(step);
        }
        return batch;
    }
}
