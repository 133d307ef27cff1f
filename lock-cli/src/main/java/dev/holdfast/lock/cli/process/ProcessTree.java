package dev.holdfast.lock.cli.process;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The command and every process it started: its descendants; on Linux also processes that another parent has adopted, found by
 * the run id in their environment; and every process that was seen in the tree before. A process escapes only if it both left
 * its parent and cleared its environment before it was first seen.
 *
 * <p>{@code watcher.sh} finds the members by the same marks: it has to do so when this process was killed, and cannot ask it.
 *
 * <p>Thread-safe.
 */
final class ProcessTree {

    /** A process that survives SIGKILL for this long belongs to another user, or hangs in the kernel. */
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration SCAN_INTERVAL = Duration.ofMillis(10);

    private final Process command;
    private final RunId run;
    /** All members seen so far that may still live. A handle never refers to a later process with the same pid. */
    private final Set<ProcessHandle> known = new ConcurrentSkipListSet<>();

    ProcessTree(Process command, RunId run) {
        this.command = command;
        this.run = run;
        known.add(command.toHandle());
    }

    /** The members that live now. A process forked during the scan may be missing: scan again until none is left. */
    private Set<ProcessHandle> alive() {
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

    /**
     * Ends all members: TERM, and KILL after the grace period. Returns when none of them runs any more, unless one survives KILL.
     *
     * @param grace how long they may take to end by themselves
     * @param warnings takes the processes that survive
     */
    void terminate(Duration grace, Consumer<String> warnings) throws InterruptedException {
        long killAt = System.nanoTime() + grace.toNanos();
        Set<ProcessHandle> alive = alive();
        alive.forEach(ProcessHandle::destroy);
        while (!alive.isEmpty() && System.nanoTime() - killAt < 0) {
            Thread.sleep(SCAN_INTERVAL.toMillis());
            alive = alive();
        }
        // At once: on a busy machine, another scan takes a part of the lease.
        alive.forEach(ProcessHandle::destroyForcibly);
        killRest(warnings);
    }

    /**
     * Scans until three scans in a row find no process, as one scan misses a process that is forked during it; and until Java, too, has
     * noticed that the command has ended, so that its exit status is known.
     */
    private void killRest(Consumer<String> warnings) throws InterruptedException {
        long giveUpAt = System.nanoTime() + KILL_TIMEOUT.toNanos();
        int emptyScans = 0;
        while (emptyScans < 3 || command.isAlive()) {
            Set<ProcessHandle> alive = alive();
            alive.forEach(ProcessHandle::destroyForcibly);
            emptyScans = alive.isEmpty() ? emptyScans + 1 : 0;
            if (System.nanoTime() - giveUpAt > 0 && !alive.isEmpty()) {
                warnings.accept("the command survives SIGKILL: end process "
                        + alive.stream().map(p -> Long.toString(p.pid())).collect(Collectors.joining(", "))
                        + " by hand, as another process may be granted the lock");
                return;
            }
            Thread.sleep(SCAN_INTERVAL.toMillis());
        }
    }

    private static boolean hasEnded(ProcessHandle process) {
        return !process.isAlive()
                || ProcFs.stat(Long.toString(process.pid()))
                        .map(ProcFs.Stat::isZombie)
                        .orElse(false);
    }
}
