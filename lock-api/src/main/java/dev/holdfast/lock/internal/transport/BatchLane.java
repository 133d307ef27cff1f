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
 * A bounded number of calls to the store at a time. Commands that arrive while no further call is allowed join the next batch,
 * whichever call ends first. Thread-safe.
 */
final class BatchLane {

    /** Enough commands to make the round trip count for little, few enough to stay within a timeout. */
    private static final int MAX_BATCH = 256;

    private final Consumer<List<StoreRequest>> send;
    private final BiConsumer<List<StoreRequest>, Throwable> refuse;
    private final Executor threads;
    private final Semaphore shared;
    private final Queue<StoreRequest> waiting = new ConcurrentLinkedQueue<>();
    /** One call is always allowed, so that no command waits without an end. */
    private final Semaphore own = new Semaphore(1);

    /**
     * An empty lane.
     *
     * @param send sends a batch; blocks
     * @param refuse answers a batch for which no thread is available
     * @param threads as many as there are calls at a time
     * @param shared permits for calls beside the first, shared with other lanes
     */
    BatchLane(
            Consumer<List<StoreRequest>> send,
            BiConsumer<List<StoreRequest>, Throwable> refuse,
            Executor threads,
            Semaphore shared) {
        this.send = send;
        this.refuse = refuse;
        this.threads = threads;
        this.shared = shared;
    }

    /** Permits the caller's thread a call of its own, if no command waits; null if it is to enqueue. {@link #leave} follows. */
    @Nullable
    Semaphore tryEnter() {
        return waiting.isEmpty() ? permit() : null;
    }

    /** Ends a call; a thread of the lane sends what came meanwhile. */
    void leave(Semaphore permit) {
        permit.release();
        start();
    }

    /** Adds these to the next batch. {@link #start} follows. */
    void add(List<StoreRequest> requests) {
        waiting.addAll(requests);
    }

    private @Nullable Semaphore permit() {
        if (own.tryAcquire()) {
            return own;
        }
        return shared.tryAcquire() ? shared : null;
    }

    /** Has a thread of the lane send what waits, if one more call is allowed. */
    void start() {
        Semaphore permit = waiting.isEmpty() ? null : permit();
        if (permit == null) {
            return;
        }
        try {
            threads.execute(new Sender(permit));
        } catch (Throwable e) { // such as "unable to create native thread": it may well work the next time
            permit.release();
            for (List<StoreRequest> batch = next(); !batch.isEmpty(); batch = next()) {
                refuse.accept(batch, e);
            }
        }
    }

    /** Sends one batch after the other until none is left. */
    private final class Sender implements Runnable {

        private final Semaphore permit;

        Sender(Semaphore permit) {
            this.permit = permit;
        }

        @Override
        public void run() {
            try {
                for (List<StoreRequest> batch = next(); !batch.isEmpty(); batch = next()) {
                    send.accept(batch);
                }
            } finally {
                leave(permit); // a command may have come since the last look
            }
        }
    }

    private List<StoreRequest> next() {
        List<StoreRequest> batch = new ArrayList<>();
        for (StoreRequest request = waiting.poll();
                request != null;
                request = batch.size() < MAX_BATCH ? waiting.poll() : null) {
            batch.add(request);
        }
        return batch;
    }
}
