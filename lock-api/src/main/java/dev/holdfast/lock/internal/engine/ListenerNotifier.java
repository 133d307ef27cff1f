package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers events to lock listeners. Each listener gets them in order, one at a time, and has a bounded queue.
 * Thread-safe.
 */
final class ListenerNotifier {

    /** Events that may wait for one listener. */
    static final int MAX_WAITING = 10_000;
    /** Losses and failovers are rare and matter most: they have as much room in addition. */
    static final int MAX_WITH_RARE = 2 * MAX_WAITING;

    private static final Duration WARN_EVERY = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(ListenerNotifier.class);

    private final Clock clock;
    private final Executor threads;
    private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();

    /** @param threads run the listeners, one thread for one listener at a time; never fail */
    ListenerNotifier(Clock clock, Executor threads) {
        this.clock = clock;
        this.threads = threads;
    }

    void add(LockListener listener) {
        subscribers.add(new Subscriber(listener));
    }

    boolean hasListeners() {
        return !subscribers.isEmpty();
    }

    /**
     * Queues an event under the lock of its name, so that events keep the order of the transitions. {@link #tell} has to follow,
     * without that lock.
     *
     * @param rare whether it is one of those that are the last to be dropped
     */
    void put(Consumer<LockListener> event, boolean rare) {
        for (Subscriber subscriber : subscribers) {
            subscriber.put(event, rare);
        }
    }

    /** Starts the delivery of queued events. */
    void tell() {
        for (Subscriber subscriber : subscribers) {
            subscriber.tell();
        }
    }

    private final class Subscriber {

        private final LockListener listener;
        private final ReentrantLock guard = new ReentrantLock();
        private final Queue<Consumer<LockListener>> waiting = new ArrayDeque<>();
        private boolean runs;
        private long dropped;
        private long warnedOf;
        private @Nullable DualClockInstant warnedAt;

        Subscriber(LockListener listener) {
            this.listener = listener;
        }

        void put(Consumer<LockListener> event, boolean rare) {
            guard.lock();
            try {
                if (waiting.size() < (rare ? MAX_WITH_RARE : MAX_WAITING)) {
                    waiting.add(event);
                } else {
                    dropped++;
                }
            } finally {
                guard.unlock();
            }
        }

        void tell() {
            warn(WARN_EVERY);
            boolean runsAlready;
            guard.lock();
            try {
                runsAlready = runs || waiting.isEmpty();
                runs = runs || !waiting.isEmpty();
            } finally {
                guard.unlock();
            }
            if (!runsAlready) {
                threads.execute(this::run);
            }
        }

        private void run() {
            boolean isAllTold = false;
            try {
                for (Consumer<LockListener> event = next(); event != null; event = next()) {
                    try {
                        event.accept(listener);
                    } catch (Throwable e) {
                        log.error(
                                "the lock listener {} threw on an event",
                                listener.getClass().getName(),
                                e);
                    }
                }
                isAllTold = true; // and another thread may run by now
            } finally {
                if (!isAllTold) { // the log may fail, too: the next event tries again
                    rest();
                }
            }
            warn(Duration.ZERO);
        }

        private @Nullable Consumer<LockListener> next() {
            guard.lock();
            try {
                Consumer<LockListener> event = waiting.poll();
                runs = event != null;
                return event;
            } finally {
                guard.unlock();
            }
        }

        private void rest() {
            guard.lock();
            try {
                runs = false;
            } finally {
                guard.unlock();
            }
        }

        /** Logs how many events were dropped since the last such line, unless that line is recent. */
        private void warn(Duration every) {
            long count;
            guard.lock();
            try {
                if (dropped == warnedOf) {
                    return;
                }
                DualClockInstant now = clock.now();
                if (warnedAt != null && warnedAt.until(now).compareTo(every) < 0) {
                    return;
                }
                count = dropped - warnedOf;
                warnedOf = dropped;
                warnedAt = now;
            } finally {
                guard.unlock();
            }
            log.warn(
                    "{} events were dropped: the lock listener {} is too slow",
                    count,
                    listener.getClass().getName());
        }
    }
}
