package dev.holdfast.lock.bench.measure;

import java.util.List;
import java.util.Map;

/** A hundred threads that come one after another while the lock is held. In a crowd that is let go at once nobody is first. */
final class InTurn extends Scenario {

    private static final int THREADS = 100;
    private static final long GAP_MILLIS = 2;
    private static final long HEAD_START_NANOS = 20_000_000;

    InTurn() {
        super(
                "order",
                THREADS + " threads that came " + GAP_MILLIS + " ms apart while the lock was held",
                List.of(Figure.OVERTAKEN, Figure.LARGEST_OVERTAKE),
                true,
                1,
                THREADS + 1);
    }

    @Override
    Reading measure(List<RunnerProcess> runners, String lock, Limit limit) throws Exception {
        RunnerProcess runner = runners.get(0);
        runner.tell(new Arrivals(THREADS, GAP_MILLIS, lock));
        Answer.Visits visits = runner.await(Answer.Visits.class, limit);
        Overtakes overtakes = Overtakes.of(visits.visits(), HEAD_START_NANOS);
        return Reading.of(Map.of(
                Figure.OVERTAKEN,
                (double) overtakes.overtaken(),
                Figure.LARGEST_OVERTAKE,
                overtakes.largestNanos() / Reading.MILLI));
    }
}
