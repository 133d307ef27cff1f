package dev.holdfast.lock.composite.member;

import dev.holdfast.lock.spi.Notification;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Relays the notifications of the store that grants, and notifies each subscriber when another store grants. Subscriptions are moved on
 * a thread of their own, as unsubscribing may take a while.
 */
public final class NotificationRelay implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NotificationRelay.class);

    /** The source while no store grants. */
    public static final Function<Consumer<Notification>, AutoCloseable> NO_SOURCE = listener -> () -> {};

    private final Executor thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    /** Subscribes at the store that grants. */
    private Function<Consumer<Notification>, AutoCloseable> source = NO_SOURCE;

    public NotificationRelay(Executor thread) {
        this.thread = thread;
    }

    /** Follows this source of notifications from now on. */
    public void follow(Function<Consumer<Notification>, AutoCloseable> next) {
        thread.execute(() -> locked(() -> {
            source = next;
            subscriptions.forEach(Subscription::move);
        }));
    }

    /** Subscribes again at the present source, which may not have been open before. */
    public void resubscribe() {
        thread.execute(() -> locked(() -> subscriptions.forEach(Subscription::move)));
    }

    public AutoCloseable subscribe(Consumer<Notification> listener) {
        Subscription subscription = new Subscription(listener);
        subscriptions.add(subscription);
        thread.execute(() -> locked(subscription::move));
        return () -> {
            subscriptions.remove(subscription);
            locked(subscription::close);
        };
    }

    @Override
    public void close() {
        locked(() -> {
            subscriptions.forEach(Subscription::close);
            subscriptions.clear();
        });
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    private final class Subscription {

        private final Consumer<Notification> listener;
        private @Nullable AutoCloseable atSource;
        private volatile boolean closed;

        Subscription(Consumer<Notification> listener) {
            this.listener = listener;
        }

        void move() {
            leaveSource();
            if (closed) {
                return;
            }
            try {
                atSource = source.apply(this::tell);
            } catch (RuntimeException e) {
                log.debug("the store that grants sends no notifications for now; waiters poll it", e);
            }
            tell(Notification.ANY);
        }

        void close() {
            closed = true;
            leaveSource();
        }

        private void leaveSource() {
            AutoCloseable former = atSource;
            atSource = null;
            if (former != null) {
                try {
                    former.close();
                } catch (Exception e) {
                    log.debug("a subscription could not be closed", e);
                }
            }
        }

        private void tell(Notification notification) {
            if (!closed) {
                listener.accept(notification);
            }
        }
    }
}
