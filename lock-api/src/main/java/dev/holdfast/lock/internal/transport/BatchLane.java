package dev.holdfast.lock.internal.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of calls to the store at a time. Commands that arrive while no further call is allowed join the next batch,
 * whichever call ends first. A batch is sent by the first caller in it, which waits anyway, or by a thread of the lane if no
 * caller waits for the first command. Thread-safe.
 */
final class BatchLane {

    /** Enough commands to make the round trip count for little, few enough to stay within a timeout. */
    private static final int MAX_BATCH = 256;

    /** A call that takes longer keeps others from theirs no longer: its part of the store may not answer at all. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Consumer<List<StoreRequest>> send;
    private final BiConsumer<List<StoreRequest>, Throwable> refuse;
    private final Executor threads;
    private final Semaphore shared;
    private final Queue<Entry> waiting = new ConcurrentLinkedQueue<>();
    /** One call is always allowed, so that no command waits without an end. */
    private final Semaphore own = new Semaphore(1);

    private final CallPacing pacing;
    private final LongSupplier nanos;
    /** How many batches are under way. */
    private final AtomicInteger batches = new AtomicInteger();
    /** When the last one began. */
    private volatile long lastBatch;

    private final AtomicInteger callers = new AtomicInteger();

    /** A command that waits for the next batch. */
    private static final class Entry {

        private final StoreRequest request;
        /** The thread that is parked here until a batch takes the command and brings the reply, or it sends a batch itself. */
        private volatile @Nullable Thread caller;

        private volatile boolean taken;

        Entry(StoreRequest request, @Nullable Thread caller) {
            this.request = request;
            this.caller = caller;
        }
    }

    /**
     * An empty lane.
     *
     * @param send sends a batch; blocks, and never fails
     * @param refuse answers a batch for which no thread is available
     * @param threads as many as there are batches at a time
     * @param shared permits for calls beside the first, shared with other lanes
     * @param pacing how many batches pay at a time
     * @param nanos the monotonic clock
     */
    BatchLane(
            Consumer<List<StoreRequest>> send,
            BiConsumer<List<StoreRequest>, Throwable> refuse,
            Executor threads,
            Semaphore shared,
            CallPacing pacing,
            LongSupplier nanos) {
        this.send = send;
        this.refuse = refuse;
        this.threads = threads;
        this.shared = shared;
        this.pacing = pacing;
        this.nanos = nanos;
        this.lastBatch = nanos.getAsLong();
    }

    /** Sends these in the next batch, on another thread. */
    void submit(List<StoreRequest> requests) {
        requests.forEach(request -> waiting.add(new Entry(request, null)));
        start();
    }

    /**
     * Sends this on the caller's thread if there are few callers. Otherwise waits for the batch that carries it, and sends that
     * batch if its turn comes. An interrupt ends the wait, not the request, and so may a batch that takes long.
     */
    void call(StoreRequest request) {
        boolean isAlone = callers.incrementAndGet() <= pacing.singleCallers() && waiting.isEmpty();
        Semaphore permit = isAlone ? permit() : null;
        try {
            if (permit == null) {
                joinBatch(request);
            } else {
                send.accept(List.of(request));
            }
        } finally {
            callers.decrementAndGet();
            if (permit != null) {
                leave(permit);
            }
        }
    }

    private void joinBatch(StoreRequest request) {
        Entry entry = new Entry(request, Thread.currentThread());
        waiting.add(entry);
        try {
            await(entry);
        } finally {
            entry.caller = null;
            if (!entry.taken) {
                start(); // a call that ended meanwhile may have relied on this thread
            }
        }
    }

    private void await(Entry entry) {
        while (!entry.taken) {
            int limit = batchesThatPay();
            Batch batch = beginBatch(limit);
            if (batch != null) {
                try {
                    sendNext();
                } finally {
                    endBatch(batch);
                }
            } else if (Thread.currentThread().isInterrupted()) {
                return;
            } else {
                park(limit);
            }
        }
    }

    /** Less than the lane has threads for, unless the calls under way take too long. */
    private int batchesThatPay() {
        return nanos.getAsLong() - lastBatch < PATIENCE_NANOS ? pacing.batches(callers.get()) : pacing.maxBatches();
    }

    /** @param limit of batches, at which this thread found none free: a lower one than allowed may rise without a call that ends */
    private void park(int limit) {
        if (limit < pacing.maxBatches()) {
            LockSupport.parkNanos(this, PATIENCE_NANOS);
        } else {
            LockSupport.park(this);
        }
    }

    private @Nullable Semaphore permit() {
        if (own.tryAcquire()) {
            return own;
        }
        return shared.tryAcquire() ? shared : null;
    }

    /**
     * A batch that is under way.
     *
     * @param isAwaited whether the next batches wait for it: not if it went beside one that takes too long
     */
    private record Batch(Semaphore permit, boolean isAwaited) {}

    private @Nullable Batch beginBatch(int limit) {
        long now = nanos.getAsLong(); // before the batch counts: if the clock fails, it would count for ever
        for (int count = countBatch(limit); count > 0; count = countBatch(limit)) {
            Semaphore permit = permit();
            if (permit != null) {
                boolean isAwaited = count <= pacing.batches(callers.get());
                if (isAwaited) {
                    lastBatch = now;
                }
                return new Batch(permit, isAwaited);
            }
            batches.decrementAndGet();
            // A call that ended meanwhile may have woken a caller that found no batch allowed.
            if (own.availablePermits() == 0 && shared.availablePermits() == 0) {
                return null;
            }
        }
        return null;
    }

    /** Counts one more batch, and returns how many there are then; 0 if there are as many as the limit already. */
    private int countBatch(int limit) {
        for (int others = batches.get(); others < limit; others = batches.get()) {
            if (batches.compareAndSet(others, others + 1)) {
                return others + 1;
            }
        }
        return 0;
    }

    private void endBatch(Batch batch) {
        try {
            if (batch.isAwaited()) {
                lastBatch = nanos.getAsLong(); // those that went beside it are waited for again
            }
        } finally {
            batches.decrementAndGet();
            leave(batch.permit());
        }
    }

    /** Ends a call. What came meanwhile is sent by the first caller that waits, or by a thread of the lane. */
    private void leave(Semaphore permit) {
        permit.release();
        Entry first = waiting.peek();
        Thread caller = first == null ? null : first.caller;
        if (caller != null) {
            LockSupport.unpark(caller);
        } else if (first != null) {
            start();
        }
    }

    /** Has a thread of the lane send what waits, if one more call is allowed. */
    private void start() {
        Batch batch = waiting.isEmpty() ? null : beginBatch(pacing.maxBatches());
        if (batch == null) {
            return;
        }
        try {
            threads.execute(new Sender(batch));
        } catch (Throwable e) { // such as "unable to create native thread": it may well work the next time
            batch.permit().release();
            batches.decrementAndGet();
            for (List<Entry> entries = next(); !entries.isEmpty(); entries = next()) {
                refuse.accept(requests(entries), e);
                wake(entries);
            }
        }
    }

    /** Sends one batch after the other until none is left. */
    private final class Sender implements Runnable {

        private final Batch batch;

        Sender(Batch batch) {
            this.batch = batch;
        }

        @Override
        public void run() {
            try {
                while (sendNext()) {}
            } finally {
                endBatch(batch); // a command may have come since the last look
            }
        }
    }

    /** @return false if none waits */
    private boolean sendNext() {
        List<Entry> batch = next();
        if (batch.isEmpty()) {
            return false;
        }
        try {
            send.accept(requests(batch));
        } finally {
            wake(batch);
        }
        return true;
    }

    private List<Entry> next() {
        List<Entry> batch = new ArrayList<>();
        for (Entry entry = waiting.poll(); entry != null; entry = batch.size() < MAX_BATCH ? waiting.poll() : null) {
            entry.taken = true;
            batch.add(entry);
        }
        return batch;
    }

    private static List<StoreRequest> requests(List<Entry> batch) {
        List<StoreRequest> requests = new ArrayList<>(batch.size());
        batch.forEach(entry -> requests.add(entry.request));
        return requests;
    }

    private static void wake(List<Entry> batch) {
        for (Entry entry : batch) {
            Thread caller = entry.caller;
            if (caller != null && caller != Thread.currentThread()) {
                LockSupport.unpark(caller);
            }
        }
    }
}
