package dev.holdfast.lock.bench.measure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** So many threads, each with a lock of its own. */
final class OwnLocks extends Scenario {

    /** Of these, ratios are aimed at. The others only show a line: it is there after the first rounds. */
    private static final Set<Integer> AIMED_AT = Set.of(8, 64);

    /** Of the others. */
    static final int ROUNDS = 3;

    private final Duration time;

    OwnLocks(int threads, Duration time) {
        super(
                "threads-" + threads,
                threads + (threads == 1 ? " thread on 1 lock" : " threads on " + threads + " locks"),
                List.of(Figure.THROUGHPUT),
                false,
                1,
                threads);
        this.time = time;
    }

    @Override
    boolean isOf(int round) {
        return round <= ROUNDS || AIMED_AT.contains(threads());
    }

    @Override
    Reading measure(List<RunnerProcess> runners, String lock, Limit limit) throws Exception {
        RunnerProcess runner = runners.get(0);
        runner.tell(new Loops(threads(), time.toMillis(), lock));
        Answer.Count count = runner.await(Answer.Count.class, limit);
        return Reading.of(Map.of(Figure.THROUGHPUT, count.pairs() * 1e9 / count.nanos()));
    }
}
