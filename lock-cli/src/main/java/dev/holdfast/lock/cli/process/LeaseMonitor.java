package dev.holdfast.lock.cli.process;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Watches a lease while a command runs under it, and terminates the command before the lease can end. */
public final class LeaseMonitor {

    private final Lease lease;
    /** One permit for each event: the command ended, the lock was lost. */
    private final Semaphore events = new Semaphore(0);

    private volatile String loss = "the store no longer confirms the lease";

    public LeaseMonitor(Lease lease) {
        this.lease = lease;
    }

    /**
     * Waits until the command has ended, by itself or because it was terminated.
     *
     * @return why the command was terminated; empty if it ended by itself
     */
    public Optional<String> await(ChildCommand command) throws InterruptedException {
        command.onExit(events::release);
        lease.onLost(lost -> {
            loss = String.valueOf(lost.getMessage());
            events.release();
        });
        // Not as configured: a lease on a composite counts for one authority lease at most, however long it is.
        Duration longest = Duration.ZERO;
        Duration told = Duration.ZERO;
        long toldAt = System.nanoTime();
        while (command.isRunning()) {
            LeaseState state = lease.state();
            Duration remaining = lease.remaining();
            longest = Durations.max(longest, remaining);
            TerminationPolicy policy = new TerminationPolicy(longest);
            if (policy.mustTerminate(state, remaining)) {
                command.terminate(policy.gracePeriod(state, remaining));
                return Optional.of(loss);
            }
            long now = System.nanoTime();
            if (remaining.compareTo(told.minusNanos(now - toldAt).plusMillis(1)) > 0) {
                command.updateLease(lease::remaining);
                told = remaining;
                toldAt = now;
            }
            boolean event = events.tryAcquire(policy.pause(remaining).toNanos(), TimeUnit.NANOSECONDS);
            if (event) {
                events.drainPermits();
            }
        }
        command.detach();
        return Optional.empty();
    }
}
