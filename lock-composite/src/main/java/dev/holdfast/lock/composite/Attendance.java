package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.regime.Duty;
import dev.holdfast.lock.composite.regime.Lane;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the duties of a member: one thread for each store, as one that is silent must not keep the other waiting. */
final class Attendance implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Attendance.class);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Duration ENDING = Duration.ofSeconds(2);

    private final Seat seat;
    private final PrimaryStore primary;
    private final AuthorityStore authority;
    private final Duration timeout;
    private final List<Thread> threads = new ArrayList<>();

    /** @param timeout how long a store may take to answer */
    Attendance(Seat seat, PrimaryStore primary, AuthorityStore authority, Duration timeout) {
        this.seat = seat;
        this.primary = primary;
        this.authority = authority;
        this.timeout = timeout;
    }

    void start() {
        for (Lane lane : Lane.values()) {
            Thread thread = new Thread(
                    () -> attend(lane), "holdfast-regime-" + lane.name().toLowerCase(Locale.ROOT));
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** Whatever goes wrong ends nothing but the duty at hand: who does not attend any more loses all that is held. */
    private void attend(Lane lane) {
        while (true) {
            try {
                Duty<?> duty = seat.await(lane);
                if (duty == null) {
                    return;
                }
                carryOut(duty);
            } catch (InterruptedException e) {
                log.debug("{} is not attended to any more", lane);
                return;
            } catch (Throwable e) {
                log.error("a duty towards {} failed", lane, e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private <T> void carryOut(Duty<T> duty) {
        Moment sent = seat.now();
        @Nullable T answer = null;
        @Nullable RuntimeException failure = null;
        try {
            answer = duty.question().ask(primary, authority, timeout);
        } catch (RuntimeException e) {
            failure = e;
        } catch (Error e) { // such as "unable to create native thread": the next attempt may well succeed
            failure = new IllegalStateException(e);
        }
        log.debug("{} -> {}", duty.what(), failure == null ? answer : failure.getMessage());
        seat.conclude(duty, answer, failure, sent);
    }

    /** Waits for what is under way, for a while. */
    @Override
    public void close() {
        seat.close();
        threads.forEach(Thread::interrupt);
        try {
            for (Thread thread : threads) {
                thread.join(ENDING.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
