package dev.holdfast.lock.spi.signal;

import dev.holdfast.lock.spi.Signal;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that follows a source of signals through all outages, until it is closed. Thread-safe. */
public final class Listening implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Listening.class);

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** For the end of a thread that has nothing to wait for any more. */
    private static final long ENDING_MILLIS = 1_000;

    private final Source source;
    private final Consumer<Signal> to;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean connected;

    /** Of the present outage; the thread's own, as the next one. */
    private long pauseMillis = FIRST_PAUSE_MILLIS;

    private boolean warned;

    Listening(Source source, Consumer<Signal> to) {
        this.source = source;
        this.to = to;
        this.thread = new Thread(this::run, "holdfast-signals");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        do {
            try {
                source.follow(this);
            } catch (Throwable e) { // also an error: without this thread nobody would ever hear anything again
                connected = false;
                outage(e);
            }
        } while (!pause(nextPause()));
    }

    /** Whoever waits asks again by itself, so that this is worth a warning, but not one for each attempt. */
    private void outage(Throwable failure) {
        if (isClosed()) {
            return;
        }
        if (warned) {
            LOG.debug("still no signals", failure);
        } else {
            warned = true;
            LOG.warn("no signals until the store is reached again; waiting takes longer: {}", failure.toString());
        }
    }

    private long nextPause() {
        long pause = pauseMillis;
        pauseMillis = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        return pause;
    }

    /** From now on nothing is missed; what was before, somebody may have. */
    public void connected() {
        pauseMillis = FIRST_PAUSE_MILLIS;
        warned = false;
        connected = true;
        tell(Signal.ANY);
    }

    /** Passes a signal on. */
    public void tell(Signal signal) {
        to.accept(signal);
    }

    /** Whether it has come to its end. */
    public boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Waits, but not longer than until it is closed, and tells whether it is. */
    public boolean pause(long millis) {
        try {
            return closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return isClosed(); // whoever interrupted this thread, it was none of us
        }
    }

    boolean isConnected() {
        return connected;
    }

    /** Ends the thread, and waits for that a moment at most: it may be about to get a connection, and gives it back then. */
    @Override
    public void close() {
        closed.countDown();
        source.end();
        if (Thread.currentThread() != thread) {
            try {
                thread.join(ENDING_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
