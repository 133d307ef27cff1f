package dev.holdfast.lock.internal.time;

import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Timers of tasks that may run a little early: tasks that are due at about the same time share one timer, and so their commands share
 * a batch. Setting and cancelling are cheap, however many there are. Thread-safe.
 */
public final class CoalescingTimer {

    /** The slack of a timer that never fires early. */
    public static final long EXACT = Long.MAX_VALUE;

    private static final Logger log = LoggerFactory.getLogger(CoalescingTimer.class);

    /** Alarms that run in a row before other timers have their turn. */
    private static final int MAX_AT_ONCE = 256;

    private static final Duration SOON = Duration.ofMillis(1);

    /** Empty rounds that are kept, and for how long: the next alarm is likely to be due at the same time as the one before it. */
    private static final int MAX_SPARE = 8;

    private static final Duration SPARE_FOR = Duration.ofSeconds(1);

    private final Clock clock;
    private final Timers timers;
    private final ReentrantLock guard = new ReentrantLock();
    /** Future rounds by their time on the monotonic clock. */
    private final Map<Long, Round> coming = new HashMap<>();
    /** The rounds that are or were empty, the oldest first. */
    private final Set<Long> spare = new LinkedHashSet<>();

    private boolean sweeps;

    /** The alarms that are due at one time. */
    private final class Round implements Runnable {

        private final long at;
        private final List<Alarm> alarms = new ArrayList<>();
        private Timers.@Nullable Timer timer;

        Round(long at) {
            this.at = at;
        }

        /** Runs its alarms, one after the other. A failed alarm does not stop the others. */
        @Override
        public void run() {
            boolean over = false;
            try {
                for (int count = 0; count < MAX_AT_ONCE && !over; count++) {
                    Alarm alarm = next();
                    if (alarm == null) {
                        over = true;
                    } else {
                        try {
                            alarm.run();
                        } catch (Throwable e) { // must not stop the other alarms
                            log.error("a timer task failed; the other timers go on", e);
                        }
                    }
                }
            } finally {
                if (!over) {
                    timers.after(SOON, this);
                }
            }
        }

        /** Removes an alarm and returns it; null if there is none left, which ends the round. */
        private @Nullable Alarm next() {
            guard.lock();
            try {
                if (alarms.isEmpty()) {
                    if (coming.remove(at, this)) {
                        spare.remove(at);
                    }
                    return null;
                }
                Alarm last = alarms.remove(alarms.size() - 1);
                last.place = Alarm.NOWHERE;
                return last;
            } finally {
                guard.unlock();
            }
        }
    }

    public CoalescingTimer(Clock clock, Timers timers) {
        this.clock = clock;
        this.timers = timers;
    }

    /** The round at this time, created if there is none. */
    private Round round(long at) {
        Round round = coming.get(at);
        if (round == null) {
            long left = at - clock.now().nanos(); // read now, as other alarms rely on it
            round = new Round(at);
            round.timer = timers.after(Duration.ofNanos(Math.max(0, left)), round);
            coming.put(at, round);
        }
        return round;
    }

    /** Keeps a few empty rounds for a while, so that cancelled alarms do not accumulate. */
    private void spare(long at) {
        if (spare.add(at) && spare.size() > MAX_SPARE) {
            dropIfEmpty(spare.iterator().next());
        }
        if (!sweeps) {
            try {
                Timers.Timer unused = timers.after(SPARE_FOR, this::sweep);
                sweeps = true;
            } catch (RuntimeException | Error e) { // the next call tries again; an empty round does no harm
                log.debug("no timer is available", e);
            }
        }
    }

    private void sweep() {
        guard.lock();
        try {
            sweeps = false;
            List.copyOf(spare).forEach(this::dropIfEmpty);
        } finally {
            guard.unlock();
        }
    }

    private void dropIfEmpty(long at) {
        spare.remove(at);
        Round round = coming.get(at);
        if (round != null && round.alarms.isEmpty()) {
            coming.remove(at);
            Objects.requireNonNull(round.timer).cancel();
        }
    }

    /** The number of rounds. */
    int size() {
        guard.lock();
        try {
            return coming.size();
        } finally {
            guard.unlock();
        }
    }

    /**
     * A task that can be scheduled repeatedly. Its times are primitive fields: references from old objects to new ones would cost
     * the garbage collector more than everything else here. Used by one thread at a time.
     */
    public abstract class Alarm implements Runnable {

        private static final int NOWHERE = -1;

        /** Its round and its place in the round; guarded. */
        private long round;

        private int place = NOWHERE;

        private Timers.@Nullable Timer exact;

        /** The scheduled task. */
        @Override
        public abstract void run();

        /**
         * Schedules the task after this delay, or earlier by less than the slack, and cancels its earlier time. A delay below the slack is
         * kept exactly.
         *
         * @param slack in nanoseconds; a power of two, so that rounds of different ones coincide
         */
        public final void set(Duration delay, long slack, DualClockInstant now) {
            cancel();
            long nanos = delay.toNanos();
            if (nanos < slack) {
                exact = timers.after(Duration.ofNanos(Math.max(0, nanos)), this);
            } else {
                join((now.nanos() + nanos) & -slack); // the last multiple of the slack by then
            }
        }

        private void join(long at) {
            guard.lock();
            try {
                List<Alarm> alarms = round(at).alarms;
                alarms.add(this); // first, as it may fail
                round = at;
                place = alarms.size() - 1;
            } finally {
                guard.unlock();
            }
        }

        /** Cancels the task, unless it runs already. */
        public final void cancel() {
            if (exact != null) {
                exact.cancel();
                exact = null;
            }
            if (place == NOWHERE) { // only the user of the alarm sets its place
                return;
            }
            guard.lock();
            try {
                if (place != NOWHERE) {
                    leave();
                }
            } finally {
                guard.unlock();
            }
        }

        /** Moves the last alarm to the place of this one. */
        private void leave() {
            List<Alarm> alarms = Objects.requireNonNull(coming.get(round)).alarms;
            Alarm last = alarms.remove(alarms.size() - 1);
            if (last != this) {
                alarms.set(place, last);
                last.place = place;
            }
            place = NOWHERE;
            if (alarms.isEmpty()) {
                spare(round);
            }
        }
    }
}
