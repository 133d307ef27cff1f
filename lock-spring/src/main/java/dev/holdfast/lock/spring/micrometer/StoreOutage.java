package dev.holdfast.lock.spring.micrometer;

import dev.holdfast.lock.LockUnavailableException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Whether the store answers, as the health check defines it: going by events and, if there are none for a while, by a check of its
 * own. The check is made when the value is read, so at the pace of the monitoring, and the reader does not wait for it.
 * Thread-safe.
 */
final class StoreOutage {

    /** How long the last answer, or the lack of one, counts. */
    private static final Duration SIGN_COUNTS = Duration.ofSeconds(10);

    private final LongSupplier nanoTime;
    private final Runnable ping;
    private final BackgroundQuestion question;
    /** The end of each unconfirmed lease if the store stays silent. */
    private final Map<HeldLease, Long> unconfirmed = new ConcurrentHashMap<>();

    private volatile boolean isUnanswered;
    private volatile long lastSign;

    private record HeldLease(String name, long fencingToken) {}

    /** @param ping asks the store, as a health check does */
    StoreOutage(LongSupplier nanoTime, Runnable ping) {
        this(nanoTime, ping, BackgroundQuestion.APART);
    }

    StoreOutage(LongSupplier nanoTime, Runnable ping, Executor apart) {
        this.nanoTime = nanoTime;
        this.ping = ping;
        this.question = new BackgroundQuestion(this::ask, apart);
        this.lastSign = nanoTime.getAsLong();
    }

    void unconfirmed(String name, long fencingToken, Duration remaining) {
        removeOver();
        unconfirmed.put(new HeldLease(name, fencingToken), nanoTime.getAsLong() + remaining.toNanos());
    }

    /** Forgets a lease for which the store has answered, or that is over. */
    void ended(String name, long fencingToken) {
        if (!unconfirmed.isEmpty()) {
            unconfirmed.remove(new HeldLease(name, fencingToken));
        }
    }

    void unanswered() {
        lastSign = nanoTime.getAsLong();
        isUnanswered = true;
    }

    void answered() {
        lastSign = nanoTime.getAsLong();
        if (isUnanswered) {
            isUnanswered = false;
        }
    }

    int unconfirmedLeases() {
        removeOver();
        return unconfirmed.size();
    }

    /** 1 while the store does not answer. The outcome of a check made now shows in the next value. */
    int asNumber() {
        if (nanoTime.getAsLong() - lastSign >= SIGN_COUNTS.toNanos()) {
            question.ask();
        }
        return isUnanswered || unconfirmedLeases() > 0 ? 1 : 0;
    }

    private void ask() {
        try {
            ping.run();
            answered();
        } catch (LockUnavailableException e) {
            unanswered();
        } catch (RuntimeException e) { // the locks are closed, or the store refuses a setting: no outage
            lastSign = nanoTime.getAsLong();
        }
    }

    private void removeOver() {
        if (!unconfirmed.isEmpty()) {
            long now = nanoTime.getAsLong();
            unconfirmed.values().removeIf(end -> end - now <= 0);
        }
    }
}
