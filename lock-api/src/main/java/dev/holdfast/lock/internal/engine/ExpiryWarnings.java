package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs releases that were given up: the first at once, those that follow in one summary. Thread-safe. */
final class ExpiryWarnings {

    private static final Duration TOGETHER = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(ExpiryWarnings.class);

    private final Timers timers;
    private final ReentrantLock guard = new ReentrantLock();
    private boolean gathers;
    private long more;
    private @Nullable LockName latest;
    private String why = "";

    ExpiryWarnings(Timers timers) {
        this.timers = timers;
    }

    void warn(LockName name, String because) {
        guard.lock();
        try {
            if (gathers) {
                more++;
                latest = name;
                why = because;
                return;
            }
            gathers = true;
        } finally {
            guard.unlock();
        }
        log.warn("'{}' is left to expire: its release was not answered: {}", name, because);
        Timers.Timer unused = timers.after(TOGETHER, this::warnOfMore);
    }

    private void warnOfMore() {
        if (warnOfGathered()) {
            Timers.Timer unused = timers.after(TOGETHER, this::warnOfMore);
        }
    }

    /** Logs the summary now, and returns whether there was one. */
    boolean warnOfGathered() {
        long count;
        LockName name;
        String because;
        guard.lock();
        try {
            count = more;
            name = latest;
            because = why;
            more = 0;
            latest = null;
            why = "";
            gathers = count > 0;
        } finally {
            guard.unlock();
        }
        if (count > 0) {
            log.warn("{} more are left to expire, '{}' the latest of them: {}", count, name, because);
        }
        return count > 0;
    }
}
