package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;

/** Asks a store again and again, until closed, and sees whether it once did not answer. */
final class Outage implements AutoCloseable {

    /** So short that no restart is over within it. */
    private static final Duration SHORTLY = Duration.ofMillis(20);

    private final Client client;
    private final Thread thread = new Thread(this::watch, "watches for an outage");
    private volatile boolean seen;
    private volatile boolean closed;

    Outage(Client client) {
        this.client = client;
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!closed && !seen) {
            ask();
            Kit.pause(Duration.ofMillis(1));
        }
    }

    private void ask() {
        Step step = new Step.Renew(new LockName("watched"), Kit.id(), Kit.LONG);
        if (client.attempt(step, SHORTLY) instanceof Answer.Unavailable) {
            seen = true;
        }
    }

    /** Whether the store was out of reach at any time until now. */
    boolean wasSeen() {
        close();
        if (!seen) {
            ask();
        }
        return seen;
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
