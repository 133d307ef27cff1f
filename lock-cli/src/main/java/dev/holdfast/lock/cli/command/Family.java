package dev.holdfast.lock.cli.command;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A command and everything it started: its descendants, and on Linux also those that another process has adopted, found by
 * the run's id in their environment. Out of sight is only what both left its parent and cleared its environment.
 */
final class Family {

    private final ProcessHandle command;
    private final RunId run;

    Family(ProcessHandle command, RunId run) {
        this.command = command;
        this.run = run;
    }

    /** Who lives now. What is forked meanwhile may be missed: look again until nobody is left. */
    Set<ProcessHandle> alive() {
        Set<ProcessHandle> found = new LinkedHashSet<>();
        add(command, found);
        for (long marked : ProcessTable.marked(run)) {
            ProcessHandle.of(marked).ifPresent(process -> add(process, found));
        }
        found.removeIf(process -> !process.isAlive() || zombie(process));
        return found;
    }

    private static void add(ProcessHandle process, Set<ProcessHandle> found) {
        if (found.add(process)) {
            process.descendants().forEach(found::add);
        }
    }

    private static boolean zombie(ProcessHandle process) {
        return ProcessTable.stat(Long.toString(process.pid()))
                .map(ProcessTable.Stat::zombie)
                .orElse(false);
    }
}
