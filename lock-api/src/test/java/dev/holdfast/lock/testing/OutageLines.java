package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import java.util.List;
import java.util.Properties;

/** What the log says while a real server is down: the logger {@code dev.holdfast.lock.leases} has to be at INFO. */
public final class OutageLines {

    private static final String NAMESPACE = "outage-lines";
    private static final String LOGGER = " dev.holdfast.lock.leases - ";
    private static final String UNCONFIRMED = " is unconfirmed: ";
    /** In the line of a lease that was lost while a renewal was under way. */
    private static final String NO_ANSWER_YET = "has no answer yet";

    private OutageLines() {}

    /**
     * Kills the server under a lease until that is lost, and starts it again: each state has its line, once. The test has to have
     * standard error for itself.
     *
     * @param settings how to open locks on the server, but for the namespace and the times
     */
    public static void areLogged(Properties settings, Runnable kill, Runnable start) {
        Properties all = new Properties();
        all.putAll(settings);
        all.setProperty("lock.namespace", NAMESPACE);
        all.setProperty("lock.lease", "9s"); // a machine that stands still for a moment skips no state
        all.setProperty("lock.call-timeout", "2s");
        String store = "the " + all.getProperty("lock.provider") + " store of namespace '" + NAMESPACE + "'";
        try (StandardError log = StandardError.listen()) {
            try (Locks locks = Locks.open(all)) {
                awaitOutage(locks, log, store, kill, start);
                Lease kept = locks.named("kept").withLease(Await.HANG).acquire(Await.HANG);
                assertThat(kept.isHeld()).isTrue();
            }
            assertThat(lines(log, UNCONFIRMED + store)).hasSizeLessThanOrEqualTo(1);
            assertThat(lines(log, store + " has not answered for ")).hasSize(1);
            assertThat(lines(log, store + " answers again")).hasSize(1);
            assertThat(lines(log, " is lost, which ", store)).hasSize(1);
            assertThat(lines(log, "these locks are closed while 1 leases are held, 'kept' with token", store))
                    .hasSize(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitOutage(Locks locks, StandardError log, String store, Runnable kill, Runnable start)
            throws InterruptedException {
        Lease lease = locks.named("nightly").acquire(Await.HANG);
        String named = "the lease of 'nightly' with token " + lease.fencingToken();
        kill.run();
        awaitLine(log, "WARN", named + " is lost, which ", store + ": no renewal was confirmed in time");
        if (lines(log, " is lost, which ", NO_ANSWER_YET)
                .isEmpty()) { // else a machine that stood still may have skipped the state
            awaitLine(
                    log, "WARN", named + ", held by " + ProcessHandle.current().pid() + "@", UNCONFIRMED + store);
        }
        awaitLine(log, "WARN", store + " has not answered for ");
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        start.run();
        Await.until("the store answers", () -> isAnswered(locks));
        awaitLine(log, "INFO", store + " answers again, after an outage of ");
    }

    private static boolean isAnswered(Locks locks) {
        try {
            locks.named("asked").tryAcquire().ifPresent(Lease::close);
            return true;
        } catch (LockUnavailableException e) {
            return false;
        }
    }

    private static void awaitLine(StandardError log, String level, String... parts) {
        Await.until(
                "a line with " + List.of(parts),
                () -> lines(log, parts).stream().anyMatch(line -> line.contains(level + LOGGER)));
    }

    private static List<String> lines(StandardError log, String... parts) {
        return log.lines()
                .filter(line -> line.contains(LOGGER) && List.of(parts).stream().allMatch(line::contains))
                .toList();
    }
}
