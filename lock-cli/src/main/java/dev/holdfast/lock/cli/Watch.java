package dev.holdfast.lock.cli;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.cli.command.Command;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Keeps an eye on a lease while a command runs under it, and ends the command before the lease can end. */
final class Watch {

    private final Lease lease;
    private final Vigil vigil;
    /** One permit for each event: the command ended, the lock was lost. */
    private final Semaphore events = new Semaphore(0);

    private volatile String loss = "the store does not confirm the lease any more";

    /** @param length how long the lease lasted when it was granted */
    Watch(Lease lease, Duration length) {
        this.lease = lease;
        this.vigil = new Vigil(length);
    }

    /**
     * Waits until the command has ended, by itself or because it had to.
     *
     * @return why it had to; empty if it ended by itself
     */
    Optional<String> over(Command command) throws InterruptedException {
        command.onEnd(events::release);
        lease.onLost(lost -> {
            loss = String.valueOf(lost.getMessage());
            events.release();
        });
        Duration told = Duration.ZERO;
        long toldAt = System.nanoTime();
        while (command.runs()) {
            LeaseState state = lease.state();
            Duration remaining = lease.remaining();
            if (vigil.over(state, remaining)) {
                command.end(vigil.grace(state, remaining));
                return Optional.of(loss);
            }
            long now = System.nanoTime();
            if (remaining.compareTo(told.minusNanos(now - toldAt).plusMillis(1)) > 0) {
                command.lease(lease::remaining);
                told = remaining;
                toldAt = now;
            }
            boolean event = events.tryAcquire(vigil.pause(remaining).toNanos(), TimeUnit.NANOSECONDS);
            if (event) {
                events.drainPermits();
            }
        }
        command.leave();
        return Optional.empty();
    }
}
