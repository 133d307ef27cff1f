package dev.holdfast.lock.composite;

import dev.holdfast.lock.spi.Signal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who wants to hear signals hears those of the store that grants, and is told to ask anew whenever that is another. Following
 * another one takes place on a thread of its own, as leaving a store may take a while.
 */
final class Signals implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Signals.class);

    /** Where nobody grants, and nobody signals. */
    static final Function<Consumer<Signal>, AutoCloseable> NONE = to -> () -> {};

    private final ExecutorService thread;
    private final ReentrantLock turn = new ReentrantLock();
    private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();
    /** Subscribes at the store that grants. */
    private Function<Consumer<Signal>, AutoCloseable> source = NONE;

    Signals(ExecutorService thread) {
        this.thread = thread;
    }

    /** From now on this is where the store that grants tells. */
    void follow(Function<Consumer<Signal>, AutoCloseable> next) {
        thread.execute(() -> inTurn(() -> {
            source = next;
            subscribers.forEach(Subscriber::move);
        }));
    }

    /** The store that grants may not have been there before. */
    void again() {
        thread.execute(() -> inTurn(() -> subscribers.forEach(Subscriber::move)));
    }

    AutoCloseable add(Consumer<Signal> to) {
        Subscriber subscriber = new Subscriber(to);
        subscribers.add(subscriber);
        thread.execute(() -> inTurn(subscriber::move));
        return () -> {
            subscribers.remove(subscriber);
            inTurn(subscriber::leave);
        };
    }

    @Override
    public void close() {
        inTurn(() -> {
            subscribers.forEach(Subscriber::leave);
            subscribers.clear();
        });
    }

    private void inTurn(Runnable task) {
        turn.lock();
        try {
            task.run();
        } finally {
            turn.unlock();
        }
    }

    private final class Subscriber {

        private final Consumer<Signal> to;
        private @Nullable AutoCloseable subscription;
        private volatile boolean over;

        Subscriber(Consumer<Signal> to) {
            this.to = to;
        }

        void move() {
            end();
            if (over) {
                return;
            }
            try {
                subscription = source.apply(this::tell);
            } catch (RuntimeException e) {
                log.debug("no signals for now; whoever waits asks without", e);
            }
            tell(Signal.ANY);
        }

        void leave() {
            over = true;
            end();
        }

        private void end() {
            AutoCloseable former = subscription;
            subscription = null;
            if (former != null) {
                try {
                    former.close();
                } catch (Exception e) {
                    log.debug("a subscription did not end well", e);
                }
            }
        }

        private void tell(Signal signal) {
            if (!over) {
                to.accept(signal);
            }
        }
    }
}
