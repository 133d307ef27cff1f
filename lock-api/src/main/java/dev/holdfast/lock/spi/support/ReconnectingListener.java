package dev.holdfast.lock.spi.support;

import dev.holdfast.lock.spi.Notification;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that listens to a source of notifications and reconnects after each outage, until it is closed. Thread-safe. */
public final class ReconnectingListener implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ReconnectingListener.class);

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** The time that {@link #close} waits for the thread to end. */
    private static final long CLOSE_MILLIS = 1_000;

    private final NotificationSource source;
    private final Consumer<Notification> subscriber;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean connected;

    /** The pause after the next failure. This field and the next one belong to the thread. */
    private long pauseMillis = FIRST_PAUSE_MILLIS;

    private boolean warned;

    ReconnectingListener(NotificationSource source, Consumer<Notification> subscriber) {
        this.source = source;
        this.subscriber = subscriber;
        this.thread = DaemonThreadFactory.unstarted("holdfast-notifications", this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        do {
            try {
                source.listen(this);
            } catch (Throwable e) { // errors as well: without this thread no notification would ever arrive again
                connected = false;
                warnOnce(e);
            }
        } while (!pause(increasePause()));
    }

    /** Warns once per outage: waiters retry by themselves, so that an outage only delays them. */
    private void warnOnce(Throwable failure) {
        if (isClosed()) {
            return;
        }
        if (warned) {
            log.debug("still no notifications from the store", failure);
        } else {
            warned = true;
            log.warn(
                    "no notifications until the store is reachable again; until then waiters poll, and wait longer: {}",
                    Redactor.redact(failure.toString()));
        }
    }

    private long increasePause() {
        long pause = pauseMillis;
        pauseMillis = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        return pause;
    }

    /** Reports that no later release can be missed; earlier ones may have been, so every waiter is notified to retry. */
    public void connected() {
        pauseMillis = FIRST_PAUSE_MILLIS;
        if (warned) {
            warned = false;
            log.info("notifications of the store arrive again");
        }
        connected = true;
        deliver(Notification.ANY);
    }

    /** Passes a notification to the subscribers. */
    public void deliver(Notification notification) {
        subscriber.accept(notification);
    }

    /** Whether this listener is closed. */
    public boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Pauses, at most until this listener is closed, and returns whether it is closed. */
    public boolean pause(long millis) {
        try {
            return closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return isClosed(); // not an interrupt of Holdfast
        }
    }

    boolean isConnected() {
        return connected;
    }

    /** Ends the thread and waits a moment for it, as it may be about to open a connection, which it then closes. */
    @Override
    public void close() {
        closed.countDown();
        source.stop();
        if (Thread.currentThread() != thread) {
            try {
                thread.join(CLOSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
