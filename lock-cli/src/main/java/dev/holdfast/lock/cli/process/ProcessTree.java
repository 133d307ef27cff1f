package dev.holdfast.lock.cli.process;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * The command and every process it started: its descendants; on Linux also processes that another parent has adopted, found by
 * the run id in their environment; and every process that was seen in the tree before. A process escapes only if it both left
 * its parent and cleared its environment before it was first seen.
 *
 * <p>Thread-safe.
 */
final class ProcessTree {

    private final RunId run;
    /** All members seen so far that may still live. A handle never refers to a later process with the same pid. */
    private final Set<ProcessHandle> known = new ConcurrentSkipListSet<>();

    ProcessTree(ProcessHandle command, RunId run) {
        this.run = run;
        known.add(command);
    }

    /** The members that live now. A process forked during the scan may be missing: scan again until none is left. */
    Set<ProcessHandle> alive() {
        for (long marked : ProcFs.marked(run)) {
            ProcessHandle.of(marked).ifPresent(known::add);
        }
        // An ended process has no descendants: those of its pid belong to another process.
        known.removeIf(ProcessTree::hasEnded);
        for (ProcessHandle process : Set.copyOf(known)) {
            process.descendants().forEach(known::add);
        }
        known.removeIf(ProcessTree::hasEnded);
        return new TreeSet<>(known);
    }

    private static boolean hasEnded(ProcessHandle process) {
        return !process.isAlive()
                || ProcFs.stat(Long.toString(process.pid()))
                        .map(ProcFs.Stat::isZombie)
                        .orElse(false);
    }
}
