package dev.holdfast.lock.spi.signal;

import dev.holdfast.lock.spi.Signal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who wants to hear a store's signals. All share one source, which is followed while there is anybody. Thread-safe. */
public final class Subscribers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Subscribers.class);

    private final Supplier<Source> sources;
    private final ReentrantLock turn = new ReentrantLock();
    private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();
    private @Nullable Listening listening;
    private boolean closed;

    /** @param sources makes one each time that somebody comes and nobody was there */
    public Subscribers(Supplier<Source> sources) {
        this.sources = sources;
    }

    /**
     * Tells this one from now on, until what is returned is closed.
     *
     * @throws IllegalStateException if this is closed
     */
    public AutoCloseable add(Consumer<Signal> to) {
        Subscriber subscriber = new Subscriber(to);
        boolean connected = false;
        turn.lock();
        try {
            if (closed) {
                throw new IllegalStateException("this store is closed");
            }
            subscribers.add(subscriber); // first, or it could miss that it is connected
            if (listening == null) {
                Listening started = new Listening(sources.get(), this::tell);
                started.start();
                listening = started;
            } else {
                connected = listening.isConnected();
            }
        } catch (RuntimeException | Error e) {
            subscribers.remove(subscriber);
            throw e;
        } finally {
            turn.unlock();
        }
        if (connected) {
            subscriber.tell(Signal.ANY); // the others have had theirs
        }
        return () -> remove(subscriber);
    }

    private void tell(Signal signal) {
        subscribers.forEach(each -> each.tell(signal));
    }

    private void remove(Subscriber subscriber) {
        subscriber.over = true;
        Listening last;
        turn.lock();
        try {
            subscribers.remove(subscriber);
            if (!subscribers.isEmpty()) {
                return;
            }
            last = listening;
            listening = null;
        } finally {
            turn.unlock();
        }
        if (last != null) {
            last.close();
        }
    }

    @Override
    public void close() {
        turn.lock();
        try {
            closed = true;
        } finally {
            turn.unlock();
        }
        subscribers.forEach(this::remove);
    }

    private static final class Subscriber {
        private final Consumer<Signal> to;
        private volatile boolean over;

        Subscriber(Consumer<Signal> to) {
            this.to = to;
        }

        void tell(Signal signal) {
            if (!over) {
                try {
                    to.accept(signal);
                } catch (RuntimeException e) {
                    LOG.warn("a signal was not taken; the others are", e);
                }
            }
        }
    }
}
