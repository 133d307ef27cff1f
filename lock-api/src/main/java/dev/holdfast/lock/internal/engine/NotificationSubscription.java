package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscribes to the notifications of the store while there are waiters, and for a little longer: a subscription may cost the
 * store a connection.
 *
 * <p>{@link #begin} and {@link #end()} are called under the lock of a name; the store is called by {@link #open} and the timer
 * only, without any lock, as it may notify at once.
 */
public final class NotificationSubscription {

    private static final Logger log = LoggerFactory.getLogger(NotificationSubscription.class);
    private static final Duration LINGER = Duration.ofSeconds(10);

    private final Function<Consumer<Notification>, AutoCloseable> notifications;
    private final Timers timers;
    private final Consumer<Notification> listener;
    private final LeaseLog leaseLog;
    private final ReentrantLock guard = new ReentrantLock();

    private int waiting;
    private boolean closed;
    /** From the decision to subscribe to the decision to end it. */
    private boolean subscribed;
    /** Subscribing failed; the timer retries it. */
    private boolean pausing;
    /** Subscribing failed the last time, which is logged once. */
    private boolean isFailing;

    private @Nullable AutoCloseable subscription;
    private Timers.@Nullable Timer end;

    NotificationSubscription(
            Function<Consumer<Notification>, AutoCloseable> notifications,
            Timers timers,
            Consumer<Notification> listener,
            LeaseLog leaseLog) {
        this.leaseLog = leaseLog;
        this.notifications = notifications;
        this.timers = timers;
        this.listener = listener;
    }

    /** Counts one more request that listens; {@link #open} has to follow. */
    void begin() {
        guard.lock();
        try {
            waiting++;
            if (end != null) {
                end.cancel();
                end = null;
            }
        } finally {
            guard.unlock();
        }
    }

    /** Counts one request less. */
    void end() {
        guard.lock();
        try {
            if (--waiting == 0) {
                end = timers.after(LINGER, this::closeIfIdle);
            }
        } finally {
            guard.unlock();
        }
    }

    /** Subscribes if requests listen and there is no subscription yet. */
    void open() {
        guard.lock();
        try {
            if (subscribed || pausing || closed || waiting == 0) {
                return;
            }
            subscribed = true;
        } finally {
            guard.unlock();
        }
        AtomicBoolean ended = new AtomicBoolean();
        AutoCloseable opened;
        try {
            opened = notifications.apply(notification -> {
                if (!ended.get()) {
                    listener.accept(notification);
                }
            });
        } catch (Throwable e) { // such as "unable to create native thread", which may pass
            log.debug("subscribing to the store's notifications failed", e);
            tryAgainLater(e);
            return;
        }
        keep(() -> {
            ended.set(true);
            opened.close();
        });
    }

    private void tryAgainLater(Throwable failure) {
        guard.lock();
        try {
            if (!isFailing) {
                isFailing = true;
                leaseLog.notificationsAway(failure);
            }
            subscribed = false;
            pausing = true;
            timers.after(LINGER, this::tryAgain);
        } finally {
            guard.unlock();
        }
    }

    private void tryAgain() {
        guard.lock();
        try {
            pausing = false;
        } finally {
            guard.unlock();
        }
        open();
    }

    private void keep(AutoCloseable opened) {
        guard.lock();
        try {
            if (isFailing) {
                isFailing = false;
                leaseLog.notificationsBack();
            }
            if (!closed) {
                subscription = opened;
                if (waiting == 0) {
                    end = timers.after(LINGER, this::closeIfIdle);
                }
                return;
            }
        } finally {
            guard.unlock();
        }
        end(opened);
    }

    private void closeIfIdle() {
        AutoCloseable ending = null;
        guard.lock();
        try {
            if (waiting == 0 && subscription != null) {
                ending = subscription;
                subscription = null;
                subscribed = false;
            }
        } finally {
            guard.unlock();
        }
        end(ending);
    }

    void close() {
        AutoCloseable ending;
        guard.lock();
        try {
            closed = true;
            ending = subscription;
            subscription = null;
        } finally {
            guard.unlock();
        }
        end(ending);
    }

    public static void end(@Nullable AutoCloseable subscription) {
        if (subscription == null) {
            return;
        }
        try {
            subscription.close();
        } catch (Throwable e) {
            log.warn("ending the subscription to the store's notifications failed", e);
        }
    }
}
