package dev.holdfast.lock.bench.measure;

import java.util.List;
import java.util.Map;

/** One thread, and one lock that nobody else wants. */
final class Uncontended extends Scenario {

    private final int pairs;

    Uncontended(int pairs) {
        super(
                "pair",
                "acquire + release, uncontended",
                List.of(Figure.P50, Figure.P99, Figure.P999, Figure.THROUGHPUT),
                false,
                1,
                1);
        this.pairs = pairs;
    }

    @Override
    Reading measure(List<RunnerProcess> runners, String lock, Limit limit) throws Exception {
        RunnerProcess runner = runners.get(0);
        runner.tell(new Pairs(pairs, lock));
        Answer.Samples samples = runner.await(Answer.Samples.class, limit);
        Quantiles quantiles = Quantiles.of(samples.nanos());
        return new Reading(
                Map.of(
                        Figure.P50, quantiles.at(0.5) / Reading.MICRO,
                        Figure.P99, quantiles.at(0.99) / Reading.MICRO,
                        Figure.P999, quantiles.at(0.999) / Reading.MICRO,
                        Figure.THROUGHPUT, pairs * 1e9 / samples.total()),
                samples.nanos());
    }
}
