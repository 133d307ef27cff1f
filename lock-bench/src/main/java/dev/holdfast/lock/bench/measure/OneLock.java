package dev.holdfast.lock.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A thousand threads, let go at once, that want one lock, once each: of one process, or of several. */
final class OneLock extends Scenario {

    private static final long HEAD_START_NANOS = 50_000_000;

    private OneLock(String id, String title, int processes, int threads, List<Figure> figures) {
        super(id, title, figures, true, processes, threads);
    }

    static OneLock ofOneProcess() {
        return new OneLock(
                "crowd",
                "1,000 threads × 1 on one lock",
                1,
                1_000,
                List.of(Figure.TOTAL, Figure.LONGEST_WAIT, Figure.OVERTAKEN, Figure.LARGEST_OVERTAKE));
    }

    static OneLock ofFourProcesses() {
        return new OneLock(
                "processes",
                "4 processes × 250 threads × 1 on one lock",
                4,
                250,
                List.of(
                        Figure.TOTAL,
                        Figure.LONGEST_WAIT,
                        Figure.OVERTAKEN,
                        Figure.OVERTAKEN_WITHIN,
                        Figure.LARGEST_OVERTAKE));
    }

    @Override
    boolean isRehearsed() {
        return true;
    }

    @Override
    Reading measure(List<RunnerProcess> runners, String lock, Limit limit) throws Exception {
        for (RunnerProcess runner : runners) {
            runner.tell(new Crowd(threads(), lock));
        }
        for (RunnerProcess runner : runners) {
            runner.await(Answer.Ready.class, limit);
        }
        for (RunnerProcess runner : runners) {
            runner.go();
        }
        long gate = Long.MAX_VALUE;
        long within = 0;
        List<Visit> visits = new ArrayList<>();
        for (RunnerProcess runner : runners) {
            Answer.Visits ofOne = runner.await(Answer.Visits.class, limit);
            gate = Math.min(gate, ofOne.gate());
            within += Overtakes.of(ofOne.visits(), HEAD_START_NANOS).overtaken();
            visits.addAll(ofOne.visits());
        }
        long end = visits.stream().mapToLong(Visit::released).max().orElseThrow();
        long wait = visits.stream().mapToLong(Visit::waited).max().orElseThrow();
        Overtakes overtakes = Overtakes.of(visits, HEAD_START_NANOS);
        return Reading.of(Map.of(
                Figure.TOTAL, (end - gate) / Reading.MILLI,
                Figure.LONGEST_WAIT, wait / Reading.MILLI,
                Figure.OVERTAKEN, (double) overtakes.overtaken(),
                Figure.OVERTAKEN_WITHIN, (double) within,
                Figure.LARGEST_OVERTAKE, overtakes.largestNanos() / Reading.MILLI));
    }
}
