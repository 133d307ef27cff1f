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
    private static final String NIGHTLY = "the lease of 'nightly' with token ";
    private static final String UNCONFIRMED = " is unconfirmed: ";
    /** In the line of a lease that was lost when a renewal had failed, and not for a machine that stood still. */
    private static final String UNANSWERED = "the store did not answer the latest one";

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
            try (Locks locks = LocksOpener.open(all)) {
                awaitOutage(locks, log, store, kill, start);
                Lease kept = Await.lease(locks.named("kept").withLease(Await.HANG));
                assertThat(kept.isHeld()).isTrue();
            }
            // While the machine stands still there may be an outage before and after this one; each state of it has its
            // line, too.
            int confirmed =
                    lines(log, NIGHTLY, " is confirmed again by " + store).size();
            assertThat(lines(log, NIGHTLY, UNCONFIRMED + store)).hasSizeBetween(confirmed, confirmed + 1);
            assertThat(lines(log, store + " has not answered for "))
                    .hasSameSizeAs(lines(log, store + " answers again"))
                    .isNotEmpty();
            assertThat(lines(log, NIGHTLY, " is lost, which ", store)).hasSize(1);
            assertThat(lines(log, "these locks are closed while 1 leases are held, 'kept' with token", store))
                    .hasSize(1);
        }
    }

    private static void awaitOutage(Locks locks, StandardError log, String store, Runnable kill, Runnable start) {
        Lease lease = Await.lease(locks.named("nightly"));
        String named = NIGHTLY + lease.fencingToken();
        kill.run();
        awaitLine(log, "WARN", named + " is lost, which ", store + ": ");
        if (!lines(log, named + " is lost, which ", UNANSWERED).isEmpty()) {
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
