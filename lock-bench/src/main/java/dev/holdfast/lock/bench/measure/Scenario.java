package dev.holdfast.lock.bench.measure;

import java.util.ArrayList;
import java.util.List;

/** Something that all candidates are put through. */
public abstract sealed class Scenario permits Uncontended, OwnLocks, OneLock, InTurn, Handover {

    private final String id;
    private final String title;
    private final List<Figure> figures;
    private final boolean isForThoseWhoWait;
    private final int processes;
    private final int threads;

    Scenario(String id, String title, List<Figure> figures, boolean isForThoseWhoWait, int processes, int threads) {
        this.id = id;
        this.title = title;
        this.figures = figures;
        this.isForThoseWhoWait = isForThoseWhoWait;
        this.processes = processes;
        this.threads = threads;
    }

    /** All, in the order of the report. */
    public static List<Scenario> all(Effort effort) {
        List<Scenario> all = new ArrayList<>();
        all.add(new Uncontended(effort.pairs()));
        effort.threads().forEach(threads -> all.add(new OwnLocks(threads, effort.loops())));
        all.add(OneLock.ofOneProcess());
        all.add(OneLock.ofFourProcesses());
        all.add(new InTurn());
        all.add(new Handover(effort.handovers()));
        return List.copyOf(all);
    }

    /** Puts a candidate through it, which is open in each of these processes. */
    abstract Reading measure(List<RunnerProcess> runners, String lock, Limit limit) throws Exception;

    /** What it is called on the command line and in files. */
    public final String id() {
        return id;
    }

    /** What it is called in a table. */
    public final String title() {
        return title;
    }

    /** What is measured, the most telling first. */
    public final List<Figure> figures() {
        return figures;
    }

    /** Whether a candidate that does not wait is left out. */
    public final boolean isForThoseWhoWait() {
        return isForThoseWhoWait;
    }

    /** Whether a candidate does it for a while before its first turn, as other turns are no warm-up for it. */
    boolean isRehearsed() {
        return false;
    }

    /** Whether it is measured in this round. */
    boolean isOf(int round) {
        return true;
    }

    final int processes() {
        return processes;
    }

    /** How many threads each process has at work. */
    final int threads() {
        return threads;
    }
}
