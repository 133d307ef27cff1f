package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines of the log of one kind, which may come by the thousand: the first few are written at once, and those that follow are
 * gathered in one summary at the end of a window. While more come, each window is twice as long as the one before, so that even a
 * store that comes and goes for hours causes a few lines. Thread-safe; never blocks, as the lines are written on other threads.
 */
final class GatheredLines {

    /** Lines in each outage that are written at once. */
    static final int AT_ONCE = 3;

    /** Names in a summary. */
    static final int NAMES = 5;

    /** Within it an outage reaches all leases of the default length: they are renewed every ten seconds, by calls of three. */
    static final Duration WINDOW = Duration.ofSeconds(15);

    private static final Duration LONGEST_WINDOW = Duration.ofMinutes(10);

    private static final Logger log = LoggerFactory.getLogger(GatheredLines.class);

    /**
     * What was gathered in a window.
     *
     * @param count how many lines
     * @param names some of the names
     * @param why the reason of the latest
     */
    record Gathered(long count, List<String> names, String why) {

        /** The names for a line of the log. */
        String shownNames() {
            return String.join(", ", names) + (count > names.size() ? " and others" : "");
        }
    }

    private final Timers timers;
    private final Executor threads;
    private final Consumer<Gathered> summary;
    private final ReentrantLock guard = new ReentrantLock();
    /** Null while no window is open. */
    private @Nullable Duration window;

    private int written;
    private long count;
    private List<String> names = new ArrayList<>();
    private String why = "";

    /**
     * Nothing yet.
     *
     * @param threads run what writes to the log, which may block; never fail
     * @param summary writes the summary of a window
     */
    GatheredLines(Timers timers, Executor threads, Consumer<Gathered> summary) {
        this.timers = timers;
        this.threads = threads;
        this.summary = summary;
    }

    /**
     * Writes this line, or counts it for a summary.
     *
     * @param name for the summary
     * @param because for the summary
     */
    void add(String name, String because, Runnable line) {
        boolean opens;
        guard.lock();
        try {
            if (written == AT_ONCE) {
                count++;
                why = because;
                if (names.size() < NAMES) {
                    names.add(name);
                }
                return;
            }
            written++;
            opens = window == null;
            window = opens ? WINDOW : window;
        } finally {
            guard.unlock();
        }
        threads.execute(line);
        if (opens) {
            endLater(WINDOW);
        }
    }

    private void endLater(Duration length) {
        try {
            Timers.Timer unused = timers.after(length, this::windowOver);
        } catch (RuntimeException | Error e) { // such as "unable to create native thread", which may pass
            log.debug("no timer is available", e);
            guard.lock();
            try {
                window = null;
                written = 0;
            } finally {
                guard.unlock();
            }
        }
    }

    private void windowOver() {
        Duration next = null;
        Gathered gathered;
        guard.lock();
        try {
            gathered = take();
            if (window != null && gathered.count() > 0) {
                next = Durations.min(window.multipliedBy(2), LONGEST_WINDOW);
            } else {
                written = 0;
            }
            window = next;
        } finally {
            guard.unlock();
        }
        if (next != null) {
            threads.execute(() -> summary.accept(gathered));
            endLater(next);
        }
    }

    /** Writes the summary of the present window now, on this thread: the timers end. */
    void flush() {
        Gathered gathered;
        guard.lock();
        try {
            gathered = take();
        } finally {
            guard.unlock();
        }
        if (gathered.count() > 0) {
            summary.accept(gathered);
        }
    }

    /** Under the guard. */
    private Gathered take() {
        Gathered taken = new Gathered(count, List.copyOf(names), why);
        count = 0;
        names = new ArrayList<>();
        why = "";
        return taken;
    }
}
