package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.time.Blocking;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of calls to the store at a time. Commands that arrive while no further call is allowed join the next batch,
 * whichever call ends first. A batch is sent by the first caller in it, which waits anyway, or by a thread of the lane if no
 * caller waits for the first command. A virtual thread sends nothing: it might have to wait for a carrier in the middle of a call,
 * and so would all that wait for that call to end. Thread-safe.
 */
final class BatchLane {

    /** Enough commands to make the round trip count for little, few enough to stay within a timeout. */
    private static final int MAX_BATCH = 256;

    private final Clock clock;
    private final Consumer<List<StoreRequest>> send;
    private final BiConsumer<List<StoreRequest>, Throwable> refuse;
    private final Executor threads;
    private final Permits shared;
    private final Queue<Entry> waiting = new ConcurrentLinkedQueue<>();
    /** One call is always allowed, so that no command waits for ever. */
    private final Permits own = new Permits(() -> 1);
    /** Fewer batches than calls may be under way: their commands share the cost of a round trip, those of single calls do not. */
    private final Permits batches;
    /** The number of callers up to which each has its own call; beyond it, all join batches. */
    private final IntSupplier singleCallers;

    private final AtomicInteger callers = new AtomicInteger();

    /** Commands that wait for the next batch, which takes all of them. */
    private static final class Entry {

        private final List<StoreRequest> requests;
        /** The thread that is parked here until a batch takes the commands and brings the reply, or it sends a batch itself. */
        private volatile @Nullable Thread caller;

        private final boolean maySend;
        /** Set once: by the batch that takes the commands, or by the caller that withdraws them. */
        private final AtomicBoolean over = new AtomicBoolean();

        Entry(List<StoreRequest> requests, @Nullable Thread caller, boolean maySend) {
            this.requests = requests;
            this.caller = caller;
            this.maySend = maySend;
        }
    }

    /**
     * An empty lane.
     *
     * @param clock tells when a caller has waited for too long
     * @param send sends a batch; blocks, and never fails
     * @param refuse answers a batch for which no thread is available, and commands that no batch took in time
     * @param threads mostly as many as there are batches at a time
     * @param shared permits for calls beside the first, shared with other lanes
     * @param batches the number of batches that may be under way at a time
     * @param singleCallers the number of callers up to which each sends its own command
     */
    BatchLane(
            Clock clock,
            Consumer<List<StoreRequest>> send,
            BiConsumer<List<StoreRequest>, Throwable> refuse,
            Executor threads,
            Permits shared,
            IntSupplier batches,
            IntSupplier singleCallers) {
        this.clock = clock;
        this.send = send;
        this.refuse = refuse;
        this.threads = threads;
        this.shared = shared;
        this.batches = new Permits(batches);
        this.singleCallers = singleCallers;
    }

    /** Sends these in the next batch, on another thread. */
    void submit(List<StoreRequest> requests) {
        requests.forEach(request -> waiting.add(new Entry(List.of(request), null, false)));
        start();
    }

    /**
     * Sends these in one call, on the caller's thread if there are few callers. Otherwise waits for the batch that carries them, and
     * sends that batch if its turn comes. An interrupt ends the wait, not the requests. Commands that no batch has taken once their
     * timeout is over are withdrawn, and never sent.
     */
    void call(List<StoreRequest> requests) {
        boolean maySend = !Blocking.isVirtualThread();
        boolean isAlone = callers.incrementAndGet() <= singleCallers.getAsInt() && waiting.isEmpty() && maySend;
        Permits permit = isAlone ? permit() : null;
        try {
            if (permit == null) {
                joinBatch(requests, maySend);
            } else {
                send.accept(requests);
            }
        } finally {
            callers.decrementAndGet();
            if (permit != null) {
                leave(permit);
            }
        }
    }

    private void joinBatch(List<StoreRequest> requests, boolean maySend) {
        Entry entry = new Entry(requests, Thread.currentThread(), maySend);
        waiting.add(entry);
        boolean isTaken = false;
        try {
            if (!maySend) {
                start();
            }
            isTaken = await(entry);
        } finally {
            entry.caller = null;
            if (!isTaken) {
                start(); // a call that ended meanwhile may have relied on this thread
            }
        }
    }

    /** Returns whether a batch took the commands. */
    private boolean await(Entry entry) {
        DualClockInstant since = clock.now();
        Duration timeout = entry.requests.get(0).timeout();
        while (!entry.over.get()) {
            Permits permit = entry.maySend ? batchPermit() : null;
            if (permit != null) {
                try {
                    sendNext();
                } finally {
                    leaveBatch(permit);
                }
            } else if (Thread.currentThread().isInterrupted()) {
                return false;
            } else {
                Duration left = timeout.minus(since.until(clock.now()));
                if (left.compareTo(Duration.ZERO) > 0) {
                    Blocking.parkNanos(this, left.toNanos(), entry.over::get);
                } else if (entry.over.compareAndSet(false, true)) {
                    withdraw(entry, timeout);
                    return false;
                }
            }
        }
        return true;
    }

    private void withdraw(Entry entry, Duration timeout) {
        waiting.remove(entry);
        refuse.accept(
                entry.requests,
                new LockUnavailableException(
                        "too many calls are under way: the command was not sent within " + DurationText.format(timeout),
                        null));
    }

    private @Nullable Permits permit() {
        if (own.tryAcquire()) {
            return own;
        }
        return shared.tryAcquire() ? shared : null;
    }

    private @Nullable Permits batchPermit() {
        while (batches.tryAcquire()) {
            Permits permit = permit();
            if (permit != null) {
                return permit;
            }
            batches.release();
            // A call that ended meanwhile may have woken a caller that found no batch allowed.
            if (own.areExhausted() && shared.areExhausted()) {
                return null;
            }
        }
        return null;
    }

    private void leaveBatch(Permits permit) {
        batches.release();
        leave(permit);
    }

    /** Ends a call. Commands that arrived meanwhile are sent by the first waiting caller, or by a thread of the lane. */
    private void leave(Permits permit) {
        permit.release();
        Entry first = waiting.peek();
        Thread caller = first == null ? null : first.caller;
        if (caller != null && first.maySend) {
            LockSupport.unpark(caller);
        } else if (first != null) {
            start();
        }
    }

    /** Has a thread of the lane send what waits, if one more call is allowed. */
    private void start() {
        Permits permit = waiting.isEmpty() ? null : batchPermit();
        if (permit == null) {
            return;
        }
        try {
            threads.execute(new Sender(permit));
        } catch (Throwable e) { // such as "unable to create native thread": it may well work the next time
            permit.release();
            batches.release();
            for (List<Entry> batch = next(); !batch.isEmpty(); batch = next()) {
                refuse.accept(requests(batch), e);
                wake(batch);
            }
        }
    }

    /** Sends one batch after the other until none is left. */
    private final class Sender implements Runnable {

        private final Permits permit;

        Sender(Permits permit) {
            this.permit = permit;
        }

        @Override
        public void run() {
            try {
                while (sendNext()) {}
            } finally {
                leaveBatch(permit); // a command may have come since the last look
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
            if (entry.over.compareAndSet(false, true)) {
                batch.add(entry);
            }
        }
        return batch;
    }

    private static List<StoreRequest> requests(List<Entry> batch) {
        List<StoreRequest> requests = new ArrayList<>(batch.size());
        batch.forEach(entry -> requests.addAll(entry.requests));
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
