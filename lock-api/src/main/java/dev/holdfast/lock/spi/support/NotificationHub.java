package dev.holdfast.lock.spi.support;

import dev.holdfast.lock.spi.Notification;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Distributes the notifications of one source, which is connected while there are subscribers. Thread-safe. */
public final class NotificationHub implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NotificationHub.class);

    private final Supplier<NotificationSource> sources;
    private final ReentrantLock guard = new ReentrantLock();
    private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();
    private @Nullable ReconnectingListener connection;
    private boolean closed;

    /** @param sources makes a source for the first subscriber, and again for the first one after all have left */
    public NotificationHub(Supplier<NotificationSource> sources) {
        this.sources = sources;
    }

    /**
     * Sends all notifications to this listener from now on, until the returned subscription is closed.
     *
     * @throws IllegalStateException if this is closed
     */
    public AutoCloseable subscribe(Consumer<Notification> listener) {
        Subscriber subscriber = new Subscriber(listener);
        boolean connected = false;
        guard.lock();
        try {
            if (closed) {
                throw new IllegalStateException("this store is closed");
            }
            subscribers.add(
                    subscriber); // before the source connects, or the subscriber could miss the first notification
            if (connection == null) {
                ReconnectingListener started = new ReconnectingListener(sources.get(), this::publish);
                started.start();
                connection = started;
            } else {
                connected = connection.isConnected();
            }
        } catch (RuntimeException | Error e) {
            subscribers.remove(subscriber);
            throw e;
        } finally {
            guard.unlock();
        }
        if (connected) {
            subscriber.notify(Notification.ANY); // the other subscribers have received theirs
        }
        return () -> remove(subscriber);
    }

    private void publish(Notification notification) {
        subscribers.forEach(each -> each.notify(notification));
    }

    private void remove(Subscriber subscriber) {
        subscriber.closed = true;
        ReconnectingListener last;
        guard.lock();
        try {
            subscribers.remove(subscriber);
            if (!subscribers.isEmpty()) {
                return;
            }
            last = connection;
            connection = null;
        } finally {
            guard.unlock();
        }
        if (last != null) {
            last.close();
        }
    }

    @Override
    public void close() {
        guard.lock();
        try {
            closed = true;
        } finally {
            guard.unlock();
        }
        subscribers.forEach(this::remove);
    }

    private static final class Subscriber {
        private final Consumer<Notification> listener;
        private volatile boolean closed;

        Subscriber(Consumer<Notification> listener) {
            this.listener = listener;
        }

        void notify(Notification notification) {
            if (!closed) {
                try {
                    listener.accept(notification);
                } catch (RuntimeException e) {
                    log.warn("a subscriber threw on a notification; the other subscribers receive it", e);
                }
            }
        }
    }
}
