package dev.holdfast.lock.cli.command;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * A command and everything it started: its descendants, on Linux also those that another process has adopted, found by the
 * run's id in their environment, and whoever was seen to belong to it once. Out of sight is only what both left its parent
 * and cleared its environment before anybody looked.
 *
 * <p>Thread-safe.
 */
final class Family {

    private final RunId run;
    /** Who has been seen and may live. A handle is never that of a later process with the same number. */
    private final Set<ProcessHandle> known = new ConcurrentSkipListSet<>();

    Family(ProcessHandle command, RunId run) {
        this.run = run;
        known.add(command);
    }

    /** Who lives now. What is forked meanwhile may be missed: look again until nobody is left. */
    Set<ProcessHandle> alive() {
        for (long marked : ProcessTable.marked(run)) {
            ProcessHandle.of(marked).ifPresent(known::add);
        }
        // Who has ended has no descendants: those of its number are somebody else's.
        known.removeIf(Family::ended);
        for (ProcessHandle process : Set.copyOf(known)) {
            process.descendants().forEach(known::add);
        }
        known.removeIf(Family::ended);
        return new TreeSet<>(known);
    }

    private static boolean ended(ProcessHandle process) {
        return !process.isAlive()
                || ProcessTable.stat(Long.toString(process.pid()))
                        .map(ProcessTable.Stat::zombie)
                        .orElse(false);
    }
}
