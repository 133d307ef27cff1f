package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * How long a process hands the lock to its own waiters, without a call to the store, before other processes have their turn.
 *
 * @param holders how many have it one after the other at most; 1 to 256
 * @param time for how long at most, from the grant
 */
public record TurnLimits(int holders, Duration time) {

    private static final int HOLDERS = 16;
    private static final Duration TIME = Duration.ofMillis(20);
    private static final Duration LONGEST_DELAY = Duration.ofMillis(LockStore.MAX_NOTIFICATION_DELAY_MILLIS);

    /**
     * Whether there may be one more holder.
     *
     * @param before how many there were in this turn
     * @param passed the time since the grant
     */
    boolean allowsNext(int before, Duration passed) {
        return before < holders && passed.compareTo(time) < 0;
    }

    /**
     * A turn lasts as long as the store may take to notify the next process, if that is longer: with notifications that come half
     * of that late on average, two thirds of the time belong to turns.
     *
     * @param notificationDelay of the store
     * @param holders as the user wants it; empty for as many as usual in that time
     */
    public static TurnLimits on(Duration notificationDelay, OptionalInt holders) {
        Duration time = Durations.max(TIME, Durations.min(notificationDelay, LONGEST_DELAY));
        return new TurnLimits(holders.orElse((int) (HOLDERS * time.toNanos() / TIME.toNanos())), time);
    }
}
