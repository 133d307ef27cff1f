package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.GrantsSuspendedException;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store answers this process at all, whatever the names, for the log alone. It is away once it has answered nothing for a
 * while and a command has failed: a single command that fails among others which are answered is no outage. Thread-safe.
 */
final class StoreAvailability {

    /** A connection that broke and is opened anew is no outage yet. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Clock clock;
    private final LeaseLog log;
    private final ReentrantLock guard = new ReentrantLock();

    /** When the latest command was sent that was answered, by the monotonic clock; almost, if several threads write it at once. */
    private volatile long answeredNanos;
    /** When the first command was sent that was not answered; null if the latest one was. */
    private volatile @Nullable DualClockInstant since;
    /** Guarded. */
    private boolean isLogged;

    StoreAvailability(Clock clock, LeaseLog log) {
        this.clock = clock;
        this.log = log;
        this.answeredNanos = clock.now().nanos() - 1;
    }

    /** The store has answered a command, or did not in time. */
    void replied(StoreReply received) {
        if (received.reply() instanceof LockReply.Unavailable unavailable) {
            if (GrantsSuspendedException.in(unavailable) == null) { // which is no outage, nor the end of one
                failed(received.sent(), unavailable.cause());
            }
            return;
        }
        if (received.sent().nanos() - answeredNanos > 0) {
            answeredNanos = received.sent().nanos();
        }
        if (since != null) {
            answered(received.sent());
        }
    }

    private void failed(DualClockInstant sent, Throwable cause) {
        guard.lock();
        try {
            if (sent.nanos() - answeredNanos <= 0) {
                return; // others, which were sent later, or together with it, were answered
            }
            DualClockInstant first = since;
            if (first == null) {
                first = sent;
                since = first;
            }
            Duration lasted = first.until(clock.now());
            if (!isLogged && lasted.compareTo(PATIENCE) >= 0) {
                isLogged = true;
                log.storeAway(lasted, cause);
            }
        } finally {
            guard.unlock();
        }
    }

    private void answered(DualClockInstant sent) {
        guard.lock();
        try {
            DualClockInstant first = since;
            if (first == null || sent.nanos() - first.nanos() < 0) {
                return;
            }
            since = null;
            if (isLogged) {
                isLogged = false;
                log.storeBack(first.until(clock.now()));
            }
        } finally {
            guard.unlock();
        }
    }
}
